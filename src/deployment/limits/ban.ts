/** PURE. Bans of addresses, accounts and images by the operator. */
import { BlockList, isIP } from 'node:net';
import { repositoryOf, tagOf } from '../../config/values/image-names.ts';
import { ipv6NetworkOf, isMappedIpv4 } from '../../lib/ip-networks.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';

export const banKinds = ['address', 'account', 'image'] as const;
export type BanKind = (typeof banKinds)[number];

export type Ban = {
  kind: BanKind;
  /** An address or network, the id of an account, or a repository with optional `*` and tag. */
  subject: string;
  /** For the operator, and for the owners of deployments that the ban stopped. */
  reason: string;
};

/** A caller and the images of a request. */
export type AdmissionRequest = { address: string; accountId?: string | null | undefined; images: readonly string[] };

/** Returns the refusal of the first ban that applies. Strangers do not see the reason. */
export function admitUnbanned(bans: readonly Ban[], request: AdmissionRequest): Result<undefined> {
  for (const { kind, subject } of bans) {
    if (kind === 'address' && isWithin(subject, request.address))
      return refuse('banned', 'This server takes no deployments from your address.', ask);
    if (kind === 'account' && request.accountId === subject)
      return refuse('banned', 'This server takes no deployments from your account.', ask);
    const image = kind === 'image' && request.images.find((image) => isImageOf(subject, image));
    if (image) return refuse('image_banned', `The image ${image} is not allowed on this server.`, ask);
  }
  return succeed(undefined);
}

const ask = 'Ask its operator if you think that this is a mistake.';

/** Returns the canonical spelling of a subject; undefined if it is not an address, network or image. */
export function normalSubject(kind: Exclude<BanKind, 'account'>, text: string): string | undefined {
  if (kind === 'image')
    return /^[a-z0-9*][a-z0-9*._/-]*(:[\w*][\w*.-]*)?$/i.test(text) ? text.toLowerCase() : undefined;
  const [host = '', bits, ...others] = text.split('/');
  const max = isIP(host) === 4 ? 32 : 128;
  const isMask = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
  return isIP(host) !== 0 && isMask && others.length === 0 ? wholeClient(text.toLowerCase()) : undefined;
}

/** A ban of an IPv6 address covers its /64 network, like the limits, because a client has all of its addresses. */
function wholeClient(subject: string): string {
  const [host = '', bits = '128'] = subject.split('/');
  return isIP(host) === 6 && !isMappedIpv4(host) && Number(bits) >= 64 ? ipv6NetworkOf(host) : subject;
}

/** Returns whether an address is equal to `subject` or in its network. */
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
 * Returns whether an image matches a pattern of a repository and optional tag. `miner`, `library/miner` and
 * `docker.io/library/miner` are equal. A digest is ignored.
 */
export function isImageOf(pattern: string, image: string): boolean {
  const tag = tagOf(pattern);
  if (tag !== undefined && !matches(tag, tagOf(image)?.toLowerCase() ?? '')) return false;
  const wanted = tag === undefined ? pattern : pattern.slice(0, -tag.length - 1);
  const name = repositoryOf(image).toLowerCase();
  const shorter = name.replace(/^docker\.io\//, '');
  return [name, shorter, shorter.replace(/^library\//, '')].some((known) => matches(wanted, known));
}

/** `*` matches any characters. Patterns are short and have no other operators, so a simple scan is enough. */
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
