/** PURE. Bans: from whom and of what an operator takes no deployments. */
import { BlockList, isIP } from 'node:net';
import { repositoryOf, tagOf } from '../../config/values/image-names.ts';
import { ipv6NetworkOf, isMappedIpv4 } from '../../lib/ipv6-network.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';

export const banKinds = ['address', 'account', 'image'] as const;
export type BanKind = (typeof banKinds)[number];

export type Ban = {
  kind: BanKind;
  /** An address or network; the id of an account; a repository, with `*` for any part of it, perhaps with a tag. */
  subject: string;
  /** For the operator, and for those whose deployments were stopped by it. */
  reason: string;
};

/** Who asks, and for which images. */
export type Asking = { address: string; accountId?: string | null | undefined; images: readonly string[] };

/** The refusal by the first ban that applies. Strangers are not told the reason: it is the operator's. */
export function admitUnbanned(bans: readonly Ban[], asking: Asking): Result<undefined> {
  for (const { kind, subject } of bans) {
    if (kind === 'address' && isWithin(subject, asking.address))
      return refuse('banned', 'This server takes no deployments from your address.', ask);
    if (kind === 'account' && asking.accountId === subject)
      return refuse('banned', 'This server takes no deployments from your account.', ask);
    const image = kind === 'image' && asking.images.find((image) => isImageOf(subject, image));
    if (image) return refuse('image_banned', `The image ${image} is not allowed on this server.`, ask);
  }
  return succeed(undefined);
}

const ask = 'Ask its operator if you think that this is a mistake.';

/** The one spelling of a subject; undefined for a text that names no address, no network and no image. */
export function normalSubject(kind: Exclude<BanKind, 'account'>, text: string): string | undefined {
  if (kind === 'image')
    return /^[a-z0-9*][a-z0-9*._/-]*(:[\w*][\w*.-]*)?$/i.test(text) ? text.toLowerCase() : undefined;
  const [host = '', bits, ...others] = text.split('/');
  const max = isIP(host) === 4 ? 32 : 128;
  const isMask = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
  return isIP(host) !== 0 && isMask && others.length === 0 ? wholeClient(text.toLowerCase()) : undefined;
}

/** Of IPv6 a ban counts the network of 64 bits, as the limits do: whoever is banned has all of its addresses. */
function wholeClient(subject: string): string {
  const [host = '', bits = '128'] = subject.split('/');
  return isIP(host) === 6 && !isMappedIpv4(host) && Number(bits) >= 64 ? ipv6NetworkOf(host) : subject;
}

/** Whether an address is of the client, or in the network, that `subject` names. */
export function isWithin(subject: string, address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const [host = '', bits] = wholeClient(subject).split('/');
  const family = isIP(host) === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  if (bits === undefined) list.addAddress(host, family);
  else list.addSubnet(host, Number(bits), family);
  return list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Whether an image is of the repository (and tag) that a pattern names. `miner`, `library/miner` and
 * `docker.io/library/miner` are one; a digest does not hide the repository.
 */
export function isImageOf(pattern: string, image: string): boolean {
  const tag = tagOf(pattern);
  if (tag !== undefined && !matches(tag, tagOf(image)?.toLowerCase() ?? '')) return false;
  const wanted = tag === undefined ? pattern : pattern.slice(0, -tag.length - 1);
  const name = repositoryOf(image).toLowerCase();
  const shorter = name.replace(/^docker\.io\//, '');
  return [name, shorter, shorter.replace(/^library\//, '')].some((known) => matches(wanted, known));
}

/** `*` stands for any characters. Patterns are short and have no other signs, so a plain walk is enough. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  const last = rest.pop()!;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}
