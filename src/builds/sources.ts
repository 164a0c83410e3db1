/** Sources that clients send or name: received to disk, unpacked, read, and stored until their images are built. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GitAddress, nameOfAddress } from '../config/values/git-address.ts';
import type { SourceCommit } from '../deployment/revision-history.ts';
import type { Finding } from '../folder/project.ts';
import { maxSourceBytes } from '../folder/source-limits.ts';
import type { DialerOptions } from '../images/dialer/dialer.ts';
import { newId } from '../lib/ids.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import { createPool, type PoolOptions } from '../lib/worker-pool.ts';
import { boundBytes } from './bound-bytes.ts';
import { fetchNamed, type Named, notesOf } from './git/fetch-named.ts';
import { type FetchedCommit, openRepositories } from './git/fetch-repository.ts';
import type { PlannedSource, Planning } from './plan-source.ts';
import { type Form, receiveForm } from './receive-form.ts';
import { SourceError } from './source-entry.ts';
import { refuseFindings, refuseSource } from './source-refusals.ts';
import { unpackSource } from './unpack-source.ts';

export { maxSourceBytes };

/** `content`: a digest of all files. `commit`: of a source that is the files of one. */
export type Source = Omit<PlannedSource, 'refusals' | 'repositories' | 'options'> & {
  id: string;
  content: string;
  commit?: SourceCommit;
};

export type Sources = {
  /** The folder of all of them: builds name it. */
  place: string;
  /** Writes an archive to disk. `client`: each client has a limit of concurrent uploads. */
  receive(body: Readable, client: string): Promise<Result<string>>;
  /** Writes the archives of a form to disk. */
  receiveForm(body: Readable, contentType: string, client: string): Promise<Result<string>>;
  /** Fetches the files of a commit. `token`: for a private repository. */
  fetch(
    address: GitAddress,
    client: string,
    requested: { token: string | undefined; signal: AbortSignal },
  ): Promise<Result<string>>;
  /** Writes the pack of a push to disk, and unpacks the files of its commit. */
  receivePush(pack: AsyncIterable<Buffer>, client: string, pushed: PushedCommit): Promise<Result<string>>;
  /** Makes an empty source, for a configuration that names repositories. */
  receiveNothing(client: string): Promise<Result<string>>;
  /** Unpacks and reads a source, and fetches the repositories that it names. Refuses a source that cannot be deployed. */
  open(id: string, client: string, planning: Opening): Promise<Result<Source>>;
  /** A build has taken the source over. */
  retain(id: string): void;
  /** The request has ended: removes its source, unless a build has taken it over. */
  release(id: string): Promise<void>;
  /** Removes a source. A missing source is not an error. */
  remove(id: string): Promise<void>;
  /** Removes sources that are older than an hour, except these and those that a request is using. */
  removeOthers(known: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
};

export type Opening = Pick<Planning, 'name' | 'document'> & { signal: AbortSignal };

/** `hash`: of a commit, or of a tag that names one. `name`: of an application whose source contains none. */
export type PushedCommit = { hash: string; ref: string; path: readonly string[]; name: string };

const usualLimits = { maxBytes: maxSourceBytes, maxEntries: 100_000 };
const nothingFetched: Named = { folders: new Map(), notes: [], contents: [] };
const smallerPush = 'Remove large files from the history, or push a shallow clone.';
const leftOverMs = 60 * 60_000;
/**
 * Maximum number of sources that are received or read at once. A client may have a second one while half of all places
 * are free.
 */
const max = { ofClient: 2, total: 16 };

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
 * `content`: a digest of all files. `name`: the name for an application whose source has none. `document`: a
 * configuration that was sent with the files.
 */
type Unpacked = {
  content: string;
  name?: string | undefined;
  document?: string | undefined;
  notes: Finding[];
  commit?: SourceCommit;
};

/** `place`: a folder that only this process uses. `gitServers`: the servers that the operator lists. */
export async function openSources(
  place: string,
  gitServers: GitServers = new Map(),
  limits = usualLimits,
): Promise<Sources> {
  await mkdir(place, { recursive: true, mode: 0o700 });
  const plans = createPool<Planning, PlannedSource>(pool);
  const repositories = openRepositories(limits, { listed: gitServers });
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
    const maxOfClient = inUse.size < max.total / 2 ? max.ofClient : 1;
    if (ofClient >= maxOfClient) return busy('Several sources from your address are being received already.');
    if (inUse.size >= max.total) return busy('The server is receiving as many sources as it can.');
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
    const content = await unpackSource(archives, filesOf(id), limits);
    await Promise.all(archives.map(({ file }) => rm(file)));
    return { content, document, notes: [] };
  }

  async function plan(client: string, planning: Planning): Promise<Result<PlannedSource>> {
    const outcome = await plans.run(client, planning);
    if (outcome.kind === 'refused') return busy('The server is reading as many sources as it can.');
    if (outcome.kind === 'costly')
      return refuse('invalid_configuration', 'The source takes too long to read.', 'Send fewer or smaller documents.');
    return succeed(outcome.answer);
  }

  return {
    place,

    receive: (body, client) =>
      begin(client, async (id) => {
        const { maxBytes } = limits;
        const bound = boundBytes(maxBytes, `The archive is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB.`);
        const file = archiveOf(id, 0);
        received.set(id, { document: undefined, archives: [{ file, at: '' }] });
        return await orRefusal(pipeline(body, bound, createWriteStream(file, { mode: 0o600 })));
      }),

    receiveForm: (body, contentType, client) =>
      begin(client, async (id) => {
        const placed = { maxBytes: limits.maxBytes, place: (number: number) => archiveOf(id, number) };
        const form = await orRefusal(receiveForm(body, contentType, placed));
        if (form.ok) received.set(id, form.value);
        return form;
      }),

    fetch: (address, client, requested) =>
      begin(client, async (id) => {
        await mkdir(filesOf(id), { mode: 0o700 });
        const pack = join(folderOf(id), 'pack');
        const commit = await repositories.fetch({ address, pack, folder: filesOf(id), client, ...requested });
        if (!commit.ok) return commit;
        await rm(pack);
        fetched.set(id, unpackedFrom(commit.value, nameOfAddress(address)));
        return commit;
      }),

    receivePush: (body, client, { hash, ref, path, name }) =>
      begin(client, async (id) => {
        await mkdir(filesOf(id), { mode: 0o700 });
        const pack = join(folderOf(id), 'pack');
        const { maxBytes } = limits;
        const bound = boundBytes(maxBytes, `The push is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB.`);
        const received = await orRefusal(pipeline(body, bound, createWriteStream(pack, { mode: 0o600 })));
        if (!received.ok) return refuse(received.problem.code, received.problem.error, smallerPush);
        const commit = await repositories.unpack({ hash, path, pack, folder: filesOf(id), client });
        if (!commit.ok) return commit;
        await rm(pack);
        fetched.set(id, unpackedFrom({ ...commit.value, ref }, name));
        return commit;
      }),

    async receiveNothing(client) {
      return await begin(client, async (id) => {
        await mkdir(filesOf(id), { mode: 0o700 });
        fetched.set(id, { content: '', notes: [] });
        return succeed(id);
      });
    },

    async open(id, client, { name, document: sent, signal }) {
      const known = fetched.get(id);
      const unpacked = known ? succeed(known) : await orRefusal(unpack(id));
      if (!unpacked.ok) return unpacked;
      const { content, notes, commit } = unpacked.value;
      const document = sent ?? unpacked.value.document;
      const planning = { folder: filesOf(id), name: name ?? unpacked.value.name, document };
      const first = await plan(client, planning);
      if (!first.ok) return first;
      const wanted = first.value.repositories;
      const found =
        wanted.length > 0
          ? await fetchNamed(repositories, { wanted, place: folderOf(id), client, limits, signal })
          : undefined;
      if (found && !found.ok) return found;
      const { folders, notes: commits, contents } = found?.value ?? nothingFetched;
      const again = { ...planning, repositories: folders, options: first.value.options };
      const last = found ? await plan(client, again) : first;
      if (!last.ok) return last;
      const { refusals, repositories: _, options: __, ...planned } = last.value;
      if (refusals.length > 0) return refuseFindings(refusals);
      const names = JSON.stringify(planned.images).replaceAll(folderOf(id), '');
      const parts = document === undefined && !found ? [] : [...contents, planned.document, names];
      return succeed({
        ...planned,
        notes: [...notes, ...commits, ...planned.notes],
        id,
        content: digestOf(content, parts),
        ...(commit && { commit }),
      });
    },

    retain(id) {
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

function unpackedFrom(found: FetchedCommit, name: string | undefined): Unpacked {
  const { content, commit: hash, ref, author, subject } = found;
  return { content, name, notes: notesOf(found), commit: { hash, ref, author, subject } };
}

/** The digest of the files, and of the images and the configuration if these did not come with them. */
function digestOf(content: string, parts: readonly string[]): string {
  return parts.length === 0
    ? content
    : createHash('sha256')
        .update([content, ...parts].join('\n'))
        .digest('hex');
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

function busy(error: string): Result<never> {
  return {
    ok: false,
    problem: { code: 'rate_limited', error, hint: 'Try again in a few seconds.', retryAfterSeconds: 5 },
  };
}
