/** Sources that clients send or name: received to disk, unpacked, read, and kept until their images are built. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Finding } from '../folder/project.ts';
import { mostSourceBytes } from '../folder/source-limits.ts';
import type { DialerOptions } from '../images/dialer/dialer.ts';
import { newId } from '../lib/ids.ts';
import { type Problem, type Result, refuse, succeed } from '../lib/problem.ts';
import { createPool, type PoolOptions } from '../lib/worker-pool.ts';
import { boundBytes } from './bound-bytes.ts';
import { type FetchedCommit, openRepositories } from './git/fetch-repository.ts';
import { type GitAddress, nameOfAddress } from './git/git-address.ts';
import type { PlannedSource, Planning } from './plan-source.ts';
import { type Form, receiveForm } from './receive-form.ts';
import { SourceError } from './source-entry.ts';
import { unpackSource } from './unpack-source.ts';

export { mostSourceBytes };

/** `content`: a digest of all files. */
export type Source = Omit<PlannedSource, 'refusals'> & { id: string; content: string };

export type Sources = {
  /** The folder of all of them: builds name it. */
  place: string;
  /** Writes an archive to disk. `client`: how many sources one client sends at once is limited. */
  receive(body: Readable, client: string): Promise<Result<string>>;
  /** Writes the archives of a form to disk. */
  receiveForm(body: Readable, contentType: string, client: string): Promise<Result<string>>;
  /** Fetches the files of a commit. `token`: for a private repository. */
  fetch(
    address: GitAddress,
    client: string,
    asked: { token: string | undefined; signal: AbortSignal },
  ): Promise<Result<string>>;
  /** Unpacks and reads a source. Refuses a source that cannot be deployed. */
  open(id: string, client: string, planning: Omit<Planning, 'folder'>): Promise<Result<Source>>;
  /** A build has taken the source over. */
  keep(id: string): void;
  /** The request has ended: removes its source, unless a build has taken it over. */
  release(id: string): Promise<void>;
  /** Removes a source. A missing source is not an error. */
  remove(id: string): Promise<void>;
  /** Removes sources that are older than an hour, except these and those that a request is using. */
  removeOthers(known: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
};

const mostEntries = 100_000;
const leftOverMs = 60 * 60_000;
/** Sources that are received or read at once. */
const most = { ofClient: 2, inAll: 16 };

const pool: PoolOptions = {
  file: new URL('plan-worker.ts', import.meta.url),
  width: Math.max(1, Math.min(2, availableParallelism() - 1)),
  budgetMs: 10_000,
  memoryMib: 512,
  idleMs: 60_000,
  max: { each: 4, all: 32 },
};

type GitServers = NonNullable<DialerOptions['listed']>;

/**
 * `content`: a digest of all files. `name`: of an application whose source contains none. `document`: a configuration that
 * came with the files.
 */
type Unpacked = { content: string; name?: string | undefined; document?: string | undefined; notes: Finding[] };

/** `place`: a folder of this process alone. `gitServers`: the ones that the operator lists. */
export async function openSources(place: string, gitServers: GitServers = new Map()): Promise<Sources> {
  await mkdir(place, { recursive: true, mode: 0o700 });
  const plans = createPool<Planning, PlannedSource>(pool);
  const repositories = openRepositories({ mostBytes: mostSourceBytes, mostEntries }, { listed: gitServers });
  const inUse = new Map<string, string>();
  const fetched = new Map<string, Unpacked>();
  const received = new Map<string, Form>();
  const folderOf = (id: string) => join(place, id);
  const archiveOf = (id: string, number: number) => join(place, id, `archive-${number}`);
  const filesOf = (id: string) => join(place, id, 'app');

  async function remove(id: string): Promise<void> {
    inUse.delete(id);
    fetched.delete(id);
    received.delete(id);
    await rm(folderOf(id), { recursive: true, force: true });
  }

  /** Makes a source of the client, which is removed unless `fill` succeeds. */
  async function begin(client: string, fill: (id: string) => Promise<Result<unknown>>): Promise<Result<string>> {
    const ofClient = [...inUse.values()].filter((each) => each === client).length;
    if (ofClient >= most.ofClient) return busy('Several sources from your address are being received already.');
    if (inUse.size >= most.inAll) return busy('The server is receiving as many sources as it can.');
    const id = newId();
    inUse.set(id, client);
    let filled: Result<unknown> | undefined;
    try {
      await mkdir(folderOf(id), { mode: 0o700 });
      filled = await fill(id);
      return filled.ok ? succeed(id) : filled;
    } finally {
      if (!filled?.ok) await remove(id);
    }
  }

  async function unpack(id: string): Promise<Unpacked> {
    await mkdir(filesOf(id), { mode: 0o700 });
    const { archives, document } = received.get(id)!;
    const content = await unpackSource(archives, filesOf(id), { mostBytes: mostSourceBytes, mostEntries });
    await Promise.all(archives.map(({ file }) => rm(file)));
    return { content, document, notes: [] };
  }

  return {
    place,

    receive: (body, client) =>
      begin(client, async (id) => {
        const bound = boundBytes(mostSourceBytes, `The archive is larger than ${mostSourceBytes / 2 ** 20} MiB.`);
        const file = archiveOf(id, 0);
        received.set(id, { document: undefined, archives: [{ file, at: '' }] });
        return await orRefusal(pipeline(body, bound, createWriteStream(file, { mode: 0o600 })));
      }),

    receiveForm: (body, contentType, client) =>
      begin(client, async (id) => {
        const limits = { mostBytes: mostSourceBytes, place: (number: number) => archiveOf(id, number) };
        const form = await orRefusal(receiveForm(body, contentType, limits));
        if (form.ok) received.set(id, form.value);
        return form;
      }),

    fetch: (address, client, asked) =>
      begin(client, async (id) => {
        await mkdir(filesOf(id), { mode: 0o700 });
        const pack = join(folderOf(id), 'pack');
        const commit = await repositories.fetch({ address, pack, folder: filesOf(id), client, ...asked });
        if (!commit.ok) return commit;
        await rm(pack);
        const { content, ...found } = commit.value;
        fetched.set(id, { content, name: nameOfAddress(address), notes: notesOf(found) });
        return commit;
      }),

    async open(id, client, { name, document: sent }) {
      const known = fetched.get(id);
      const unpacked = known ? succeed(known) : await orRefusal(unpack(id));
      if (!unpacked.ok) return unpacked;
      const { content, notes } = unpacked.value;
      const document = sent ?? unpacked.value.document;
      const planning = { folder: filesOf(id), name: name ?? unpacked.value.name, document };
      const outcome = await plans.run(client, planning);
      if (outcome.kind === 'refused') return busy('The server is reading as many sources as it can.');
      if (outcome.kind === 'costly')
        return refuse(
          'invalid_configuration',
          'The source takes too long to read.',
          'Send fewer or smaller documents.',
        );
      const { refusals, ...planned } = outcome.answer;
      if (refusals.length > 0) return refuseFindings(refusals);
      return succeed({ ...planned, notes: [...notes, ...planned.notes], id, content: withDocument(content, document) });
    },

    keep(id) {
      inUse.delete(id);
      fetched.delete(id);
      received.delete(id);
    },
    async release(id) {
      if (inUse.has(id)) await remove(id);
    },
    remove,

    async removeOthers(known) {
      for (const id of await readdir(place)) {
        const found = known.has(id) || inUse.has(id) ? undefined : await stat(folderOf(id)).catch(() => undefined);
        // Another process of this data directory may be receiving a younger one.
        if (found && Date.now() - found.mtimeMs > leftOverMs) await remove(id);
      }
    },

    async close() {
      await Promise.all([plans.close(), repositories.close()]);
    },
  };
}

/** The digest of the files and of the configuration that was sent with them. */
function withDocument(content: string, document: string | undefined): string {
  return document === undefined ? content : createHash('sha256').update(`${content}\n${document}`).digest('hex');
}

/** A SourceError as a refusal. */
async function orRefusal<T>(work: Promise<T>): Promise<Result<T>> {
  try {
    return succeed(await work);
  } catch (error) {
    if (error instanceof SourceError) return refuseSource(error);
    throw error;
  }
}

/** PURE. The commit, and the submodules that are missing. */
function notesOf({ commit, ref, submodules }: Pick<FetchedCommit, 'commit' | 'ref' | 'submodules'>): Finding[] {
  const from = ref === commit ? '' : ` of ${ref}`;
  const notes: Finding[] = [{ code: 'commit', message: `The source is commit ${commit.slice(0, 12)}${from}.` }];
  if (submodules.length === 0) return notes;
  const message = `Submodules are not fetched: ${submodules.slice(0, 10).join(', ')}.`;
  return [...notes, { code: 'submodule', message, hint: 'Send an archive that contains their files.' }];
}

function busy(error: string): Result<never> {
  return {
    ok: false,
    problem: { code: 'rate_limited', error, hint: 'Try again in a few seconds.', retryAfterSeconds: 5 },
  };
}

function refuseSource({ message, isTooLarge }: SourceError): Result<never> {
  const hint = isTooLarge
    ? 'Leave out what the build does not need, such as node_modules and .git.'
    : 'Create the archive with: tar cz . | curl --data-binary @- -H "Content-Type: application/gzip" …';
  return refuse(isTooLarge ? 'payload_too_large' : 'invalid_request', message, hint);
}

/** PURE. Each finding with its file and line, and what to do. */
function refuseFindings(refusals: readonly Finding[]): Result<never> {
  const errors = refusals.map(({ message, hint, at }) => {
    const where = at ? `${at.file}:${at.line}:${at.column}: ` : '';
    return `${where}${message}${hint ? ` (${hint})` : ''}`;
  });
  const [first] = refusals;
  const problem: Problem = {
    code: 'invalid_configuration',
    error: errors[0]!,
    ...(first?.hint !== undefined && { hint: first.hint }),
    errors,
  };
  return { ok: false, problem };
}
