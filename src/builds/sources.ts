/** Sources that clients send: received to disk, unpacked, read, and kept until their images are built. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Finding } from '../folder/project.ts';
import { newId } from '../lib/ids.ts';
import { type Problem, type Result, refuse, succeed } from '../lib/problem.ts';
import { createPool, type PoolOptions } from '../lib/worker-pool.ts';
import type { PlannedSource } from './plan-source.ts';
import { SourceError } from './source-entry.ts';
import { unpackSource } from './unpack-source.ts';

/** Of an archive, and of the files in it. */
export const mostSourceBytes = 512 * 2 ** 20;

/** `content`: a digest of all files. */
export type Source = Omit<PlannedSource, 'refusals'> & { id: string; content: string };

export type Sources = {
  /** The folder of all of them: builds name it. */
  place: string;
  /** Writes a body to disk. `client`: how many one client sends at once is limited. */
  receive(body: Readable, client: string): Promise<Result<string>>;
  /** Unpacks and reads a received source. Refuses a source that cannot be deployed. */
  open(id: string, client: string, name: string | undefined): Promise<Result<Source>>;
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

type Planning = { folder: string; name: string | undefined };

/** `place`: a folder of this process alone. */
export async function openSources(place: string): Promise<Sources> {
  await mkdir(place, { recursive: true, mode: 0o700 });
  const plans = createPool<Planning, PlannedSource>(pool);
  const inUse = new Map<string, string>();
  const folderOf = (id: string) => join(place, id);
  const archiveOf = (id: string) => join(place, id, 'archive');

  async function remove(id: string): Promise<void> {
    inUse.delete(id);
    await rm(folderOf(id), { recursive: true, force: true });
  }

  return {
    place,

    async receive(body, client) {
      const ofClient = [...inUse.values()].filter((each) => each === client).length;
      if (ofClient >= most.ofClient)
        return busy('Several source archives from your address are being received already.');
      if (inUse.size >= most.inAll) return busy('The server is receiving as many source archives as it can.');
      const id = newId();
      inUse.set(id, client);
      try {
        await mkdir(folderOf(id), { mode: 0o700 });
        await pipeline(body, bounded(), createWriteStream(archiveOf(id), { mode: 0o600 }));
        return succeed(id);
      } catch (error) {
        await remove(id);
        if (error instanceof SourceError) return refuseSource(error);
        throw error;
      }
    },

    async open(id, client, name) {
      const folder = join(folderOf(id), 'app');
      let content: string;
      try {
        await mkdir(folder, { mode: 0o700 });
        content = await unpackSource(archiveOf(id), folder, { mostBytes: mostSourceBytes, mostEntries });
        await rm(archiveOf(id));
      } catch (error) {
        if (error instanceof SourceError) return refuseSource(error);
        throw error;
      }
      const outcome = await plans.run(client, { folder, name });
      if (outcome.kind === 'refused') return busy('The server is reading as many sources as it can.');
      if (outcome.kind === 'costly')
        return refuse(
          'invalid_configuration',
          'The source takes too long to read.',
          'Send fewer or smaller documents.',
        );
      const { refusals, ...planned } = outcome.answer;
      return refusals.length > 0 ? refuseFindings(refusals) : succeed({ ...planned, id, content });
    },

    keep: (id) => void inUse.delete(id),
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

    close: () => plans.close(),
  };
}

function bounded(): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length;
      if (bytes <= mostSourceBytes) done(undefined, piece);
      else done(new SourceError(`The archive is larger than ${mostSourceBytes / 2 ** 20} MiB.`, { isTooLarge: true }));
    },
  });
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
