/**
 * Fetches the files of one commit from a Git server that a client names. The service implements Git's HTTP protocol
 * itself, so that each connection passes the guarded dialer, and no program reads options, hooks or files of untrusted
 * repositories.
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { GitAddress } from '../../config/values/git-address.ts';
import { readAtPace, readWhole } from '../../images/dialer/bounded-body.ts';
import { DialFault } from '../../images/dialer/dial-fault.ts';
import { dialWords } from '../../images/dialer/dial-words.ts';
import { type Answer, createDialer, type DialerOptions } from '../../images/dialer/dialer.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { createPool, type PoolOptions } from '../../lib/worker-pool.ts';
import { boundBytes } from '../bound-bytes.ts';
import { SourceError } from '../source-entry.ts';
import { findRef, packOf, readAdvertised, requestOf } from './advertised-refs.ts';
import { PacketError } from './pkt-lines.ts';
import type { UnpackedCommit, Unpacking } from './unpack-commit.ts';
import type { UnpackAnswer } from './unpack-worker.ts';

export type Fetching = {
  address: GitAddress;
  /** An access token, or `user:token`. */
  token: string | undefined;
  /** A new file for the pack, and an existing folder for the files. */
  pack: string;
  folder: string;
  /** The client that the fetch counts for, in the fair queue. */
  client: string;
  signal: AbortSignal;
  /** Limits below those of all repositories. */
  limits?: RepositoryLimits;
};

/** `ref`: the branch, the tag or the hash that was found. */
export type FetchedCommit = UnpackedCommit & { ref: string };

/** A pack that was received, and a folder for the files of its commit. */
export type Received = Pick<Fetching, 'pack' | 'folder' | 'client' | 'limits'> & {
  hash: string;
  /** The names of the folders that lead to the source. */
  path: readonly string[];
};

export type Repositories = {
  fetch(fetching: Fetching): Promise<Result<FetchedCommit>>;
  /** Writes the files of a commit into the folder. */
  unpack(received: Received): Promise<Result<UnpackedCommit>>;
  close(): Promise<void>;
};

/** GitHub refuses larger files. The advertisement of a repository with 100,000 pull requests has 15 MiB. */
const most = { fileBytes: 100 * 2 ** 20, advertisedBytes: 32 * 2 ** 20, answerMs: 60_000 };

/** The limit of one repository, and of all repositories of a source together. */
export const maxFetchMs = 5 * 60_000;

const pool: PoolOptions = {
  file: new URL('unpack-worker.ts', import.meta.url),
  width: 1,
  budgetMs: 60_000,
  memoryMib: 512,
  idleMs: 60_000,
  max: { each: 4, all: 32 },
};

export type RepositoryLimits = { maxBytes: number; maxEntries: number };

/** `dialing`: with the Git servers that the operator lists. */
export function openRepositories(usualLimits: RepositoryLimits, dialing: DialerOptions): Repositories {
  const dialer = createDialer({ answerMs: most.answerMs, ...dialing });
  const unpacking = createPool<Unpacking, UnpackAnswer>(pool);

  async function download({
    address,
    token,
    pack,
    signal,
    limits: { maxBytes } = usualLimits,
  }: Fetching): Promise<Result<{ ref: string; hash: string }>> {
    const mayUseListed = dialing.listed?.has(address.url.host) ?? false;
    const authorization = token === undefined ? undefined : authorizationOf(token);
    const refs = new URL(`${address.url.href}/info/refs?service=git-upload-pack`);
    const headers = { 'user-agent': 'git/2 berth', 'accept-encoding': 'identity' };
    const listed = await dialer.request(refs, { method: 'GET', headers, authorization, mayUseListed, signal });
    if (listed.status !== 200) return refuseStatus(listed, { address, token });
    const advertised = await readAdvertised(await readWhole(listed.body, most.advertisedBytes, listed.url.host));
    const found = findRef(advertised, address.ref);
    if (!found.ok) return found;
    const body = requestOf(advertised, found.value);
    if (body === undefined) return unusable(address);
    const answer = await dialer.request(new URL(listed.url.href.replace(/\/info\/refs\?.*$/, '/git-upload-pack')), {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/x-git-upload-pack-request' },
      // A redirect to another host does not receive the token.
      ...(listed.url.origin === refs.origin && { authorization }),
      mayUseListed,
      signal,
    });
    if (answer.status !== 200) return refuseStatus(answer, { address, token });
    const pieces = packOf(readAtPace(answer.body, answer.url.host));
    const bound = boundBytes(maxBytes, `The repository has more than ${Math.floor(maxBytes / 2 ** 20)} MiB.`);
    await pipeline(pieces, bound, createWriteStream(pack, { mode: 0o600 }), { signal });
    return succeed({ ref: found.value.name, hash: found.value.hash });
  }

  async function unpack(received: Received): Promise<Result<UnpackedCommit>> {
    const { pack, hash, path, folder, client, limits } = received;
    const all = { ...(limits ?? usualLimits), maxFileBytes: most.fileBytes };
    const outcome = await unpacking.run(client, { pack, hash, path, folder, limits: all });
    if (outcome.kind === 'refused') return busy;
    if (outcome.kind === 'costly') return tooLarge('The repository takes too long to unpack.');
    const { answer } = outcome;
    if (!('refusal' in answer)) return succeed(answer);
    return answer.isTooLarge ? tooLarge(answer.refusal) : refuse('invalid_request', answer.refusal);
  }

  return {
    unpack,
    async fetch(fetching) {
      const { address } = fetching;
      const signal = AbortSignal.any([fetching.signal, AbortSignal.timeout(maxFetchMs)]);
      try {
        const downloaded = await download({ ...fetching, signal });
        if (!downloaded.ok) return downloaded;
        const { ref, hash } = downloaded.value;
        const unpacked = await unpack({ ...fetching, hash, path: address.path });
        return unpacked.ok ? succeed({ ...unpacked.value, ref }) : unpacked;
      } catch (error) {
        if (signal.aborted) return unavailable(address.url.host, dialWords['too-slow']);
        if (error instanceof SourceError) return tooLarge(error.message);
        if (error instanceof PacketError) return unusable(address);
        if (!(error instanceof DialFault)) throw error;
        if (error.kind === 'too-long') return tooLarge('The repository has too many branches and tags.');
        return unavailable(error.host, dialWords[error.kind]);
      }
    },
    async close() {
      dialer[Symbol.dispose]();
      await unpacking.close();
    },
  };
}

/** GitHub, GitLab and Gitea accept any user name with an access token. */
function authorizationOf(token: string): string {
  const login = token.includes(':') ? token : `x-access-token:${token}`;
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

/** Git servers report a private repository like a missing one. */
function refuseStatus(
  { status, url, body }: Answer,
  { address, token }: Pick<Fetching, 'address' | 'token'>,
): Result<never> {
  body.destroy();
  if (![401, 403, 404].includes(status)) return unavailable(url.host, `answers with status ${status}`);
  const hint =
    token === undefined
      ? 'Check the address. A private repository needs an access token: the header Git-Token, or `token` of a source.'
      : 'Check the address, and that the token can read the repository.';
  return refuse('invalid_request', `The repository ${nameOf(address)} does not exist, or is private.`, hint);
}

function nameOf({ url }: GitAddress): string {
  return `${url.host}${url.pathname}`;
}

function unavailable(host: string, because: string): Result<never> {
  const hint = 'Use the https address of a Git repository on the public internet, or send the source as an archive.';
  return refuse('document_unavailable', `The repository cannot be fetched: ${host} ${because}.`, hint);
}

function unusable({ url }: GitAddress): Result<never> {
  return unavailable(url.host, 'does not answer like a Git server with HTTP');
}

function tooLarge(error: string): Result<never> {
  return refuse('payload_too_large', error, 'Use a smaller repository, or `path` for one folder of it.');
}

const busy: Result<never> = {
  ok: false,
  problem: {
    code: 'rate_limited',
    error: 'The server is fetching as many repositories as it can.',
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 5,
  },
};
