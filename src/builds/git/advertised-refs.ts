/**
 * PURE. The refs that a Git server advertises, and the request for one of them. Version 0 of the protocol, since all servers
 * support it; https://git-scm.com/docs/gitprotocol-pack
 */
import { nearestName } from '../../config/diagnostics/suggest.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { flush, PacketError, packet, readPackets } from './pkt-lines.ts';

export type Advertised = {
  /** The hash of each ref by its complete name, such as `refs/heads/main`. */
  refs: Map<string, string>;
  capabilities: Set<string>;
};

/** A ref that was found. `name` has no prefix. */
export type FoundRef = { name: string; hash: string };

const hashForm = /^[0-9a-f]{40}$/;

/** Throws PacketError for anything but an advertisement. */
export async function readAdvertised(body: Uint8Array): Promise<Advertised> {
  const refs = new Map<string, string>();
  let capabilities: Set<string> | undefined;
  for await (const line of readPackets([body])) {
    if (!line || line.toString('latin1', 0, 1) === '#') continue;
    const [ref = '', listed] = line.toString('utf8').replace(/\n$/, '').split('\0');
    if (ref.startsWith('ERR ')) throw new PacketError('the server reports an error');
    capabilities ??= new Set(listed?.split(' '));
    const [hash = '', name = ''] = ref.split(' ');
    if (hashForm.test(hash) && name !== 'capabilities^{}' && !name.endsWith('^{}')) refs.set(name, hash);
  }
  if (!capabilities) throw new PacketError('no refs are advertised');
  return { refs, capabilities };
}

/** Undefined `ref`: the default branch. */
export function findRef({ refs, capabilities }: Advertised, ref: string | undefined): Result<FoundRef> {
  if (refs.size === 0) return refuse('invalid_request', 'The repository has no commits.', 'Push a branch first.');
  if (ref === undefined) {
    const hash = refs.get('HEAD');
    const symref = [...capabilities].find((each) => each.startsWith('symref=HEAD:'));
    const name = symref?.replace(/^symref=HEAD:(?:refs\/heads\/)?/, '') ?? 'HEAD';
    if (hash !== undefined) return succeed({ name, hash });
    return refuse('invalid_request', 'The repository has no default branch.', 'Name a branch with `ref`.');
  }
  for (const name of [`refs/heads/${ref}`, `refs/tags/${ref}`, ref]) {
    const hash = name.startsWith('refs/') ? refs.get(name) : undefined;
    if (hash !== undefined) return succeed({ name: ref, hash });
  }
  if (!hashForm.test(ref)) return noSuchRef(ref, refs);
  const isOffered = ['allow-reachable-sha1-in-want', 'allow-any-sha1-in-want'].some((each) => capabilities.has(each));
  if (isOffered || [...refs.values()].includes(ref)) return succeed({ name: ref, hash: ref });
  return refuse('invalid_request', 'The Git server does not offer single commits.', 'Use a branch or a tag as `ref`.');
}

function noSuchRef(ref: string, refs: ReadonlyMap<string, string>): Result<never> {
  const names = [...refs.keys()].flatMap((name) => /^refs\/(?:heads|tags)\/(.+)/.exec(name)?.[1] ?? []);
  const near = nearestName(ref, names.slice(0, 10_000));
  const hint = near ? `Did you mean ${near}?` : 'Use a branch, a tag, or the complete hash of a commit.';
  return refuse('invalid_request', `The repository has no branch or tag ${ref}.`, hint);
}

/** The capabilities without which nothing is requested. */
const required = ['side-band-64k', 'shallow'];
const wanted = [...required, 'ofs-delta', 'no-progress'];

/** The body of the request for the files of one commit, without its history. Undefined if the server cannot send them. */
export function requestOf({ capabilities }: Advertised, { hash }: FoundRef): string | undefined {
  if (!required.every((each) => capabilities.has(each)) || capabilities.has('object-format=sha256')) return undefined;
  const used = wanted.filter((each) => capabilities.has(each) && each !== 'shallow');
  return `${packet(`want ${hash} ${used.join(' ')}\n`)}${packet('deepen 1\n')}${flush}${packet('done\n')}`;
}

/** The pack in the answer of a server. Throws PacketError. */
export async function* packOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let isBegun = false;
  for await (const line of readPackets(pieces)) {
    const band = line?.[0];
    if (band === 1) {
      isBegun = true;
      yield line!.subarray(1);
    } else if (band === 3 || line?.toString('latin1', 0, 4) === 'ERR ') {
      throw new PacketError('the server reports an error');
    }
  }
  if (!isBegun) throw new PacketError('the answer has no pack');
}
