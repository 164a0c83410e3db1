/**
 * Stores backups with restic: deduplicated by content, compressed, and encrypted with a key that only the password
 * opens.
 */

import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { newId } from '../lib/ids.ts';
import { ifThere } from '../lib/missing-files.ts';
import { BackupFault } from './backup-fault.ts';
import type { BackupPlace } from './backup-place.ts';
import { type ResticRun, runRestic, type WriteTo } from './run-restic.ts';

export type Repository = {
  place: BackupPlace;
  /** Creates the repository if it is missing. Throws BackupFault, also if the password is wrong. */
  provide(): Promise<Provided>;
  /**
   * Saves the content of a folder, at `paths` relative to it. After a kill at any time, no incomplete snapshot is
   * listed.
   */
  save(folder: string, paths: readonly string[], saving: Saving): Promise<Saved>;
  /**
   * Stores one file with that name from the output of `write`, without a local file. If `write` rejects, nothing is
   * stored, and this rejects with the same error. If this process is killed, an unreferenced part may remain.
   */
  saveStream(name: string, write: WriteTo, saving: Saving): Promise<Saved>;
  /** Checks that all parts of the stored data exist. `isWhole`: reads every byte. */
  check(isWhole: boolean): Promise<void>;
  /** The entries with a tag, oldest first. */
  list(tag: string): Promise<ListedSnapshot[]>;
  /** Reads one file of a stored snapshot in pieces. */
  read(id: string, path: string, take: (piece: Uint8Array) => void): Promise<void>;
  /** Returns the size of a file of a stored snapshot, in bytes. */
  sizeOf(id: string, path: string): Promise<number>;
  /** Writes one file of a stored snapshot to `to`, with backpressure, and does not end it. */
  readInto(id: string, path: string, to: Writable, withinMs: number): Promise<void>;
  /** Restores all content, or the content at `paths`, into a folder, and verifies it there. */
  bring(id: string, folder: string, paths?: readonly string[], withinMs?: number): Promise<void>;
  /** Removes these, and what only they needed. */
  drop(ids: readonly string[]): Promise<void>;
  /** Removes the data of incomplete snapshots. Otherwise it would use up space, and a full location would stay full. */
  clear(): Promise<void>;
  /**
   * Removes everything that is stored, and a folder itself. After a kill at any instant, the next call continues, and
   * so does `provide`.
   */
  remove(): Promise<void>;
};

/**
 * `parent`: only its changed files are read. Default: the last snapshot of the same paths. `mayBeRenamed`: files get
 * new names and inodes each time. `withinMs`: the time limit.
 */
export type Saving = { tags: readonly string[]; parent?: string | undefined; mayBeRenamed: boolean; withinMs?: number };

/** `kept`: all stored snapshots, oldest first. A separate query would cost half a second of processor time. */
export type Provided = { isNew: boolean; kept: readonly ListedSnapshot[] };

/** `addedBytes`: the size of new data before compression. */
export type Saved = { id: string; totalBytes: number; addedBytes: number };

export type ListedSnapshot = { id: string; at: number; tags: readonly string[] };

/** All data has the same host name, because it does not depend on the machine of an installation. */
const host = 'berth';

/**
 * `env`: the environment of this process. restic gets the variables that it needs. `stop` ends running calls with a
 * BackupFault. `patienceMs` limits calls without their own limit. Default: unlimited.
 */
export function openRepository(
  place: BackupPlace,
  password: string,
  env: Record<string, string | undefined>,
  { stop, patienceMs }: { stop?: AbortSignal; patienceMs?: number } = {},
): Repository {
  // Otherwise restic prints a message about the password to its standard output, before the requested output.
  const ask = (words: readonly string[], options: ResticRun = {}, location = place.location) =>
    runRestic(['--quiet', '--repo', location, '--no-cache', ...words], password, env, {
      ...options,
      ...signalOf(stop, options.signal ?? limit(patienceMs).signal),
    });

  const listKept = async (...chosen: string[]): Promise<ListedSnapshot[]> => {
    const reported: { id: string; time: string; tags: string[] | null }[] | null = JSON.parse(
      await ask(['snapshots', '--json', '--no-lock', ...chosen]),
    );
    const kept = (reported ?? []).map(({ id, time, tags }) => ({ id, tags: tags ?? [], at: Date.parse(time) }));
    return kept.toSorted((a, b) => a.at - b.at);
  };

  return {
    place,
    async provide() {
      const found = await listKept().catch(asFault);
      if (!(found instanceof BackupFault)) return { isNew: false, kept: found };
      const refusal = await makePlace(place, (location) => ask(['init'], {}, location)).then(() => undefined, asFault);
      if (!refusal) return { isNew: true, kept: [] };
      // restic refuses to create an existing repository. Then the earlier error applies, such as a wrong password, or
      // another process has created it.
      return { isNew: false, kept: await listKept() };
    },
    async save(folder, paths, { tags, parent, mayBeRenamed, withinMs }) {
      const words = [
        ...['backup', '--json', '--host', host, ...tags.flatMap((tag) => ['--tag', tag])],
        ...(mayBeRenamed ? ['--ignore-inode', '--ignore-ctime'] : []),
        ...(parent === undefined ? [] : ['--parent', parent]),
      ];
      const summary = lastOf(await ask([...words, '--', ...paths], { cwd: folder, ...limit(withinMs) })) as Summary;
      return { id: summary.snapshot_id, totalBytes: summary.total_bytes_processed, addedBytes: summary.data_added };
    },
    async saveStream(name, write, { tags, withinMs }) {
      const words = ['backup', '--json', '--host', host, ...tags.flatMap((tag) => ['--tag', tag])];
      const named = ['--stdin', '--stdin-filename', name];
      const summary = lastOf(await ask([...words, ...named], { feed: write, ...limit(withinMs) })) as Summary;
      return { id: summary.snapshot_id, totalBytes: summary.total_bytes_processed, addedBytes: summary.data_added };
    },
    async check(isWhole) {
      // Another process may be writing to the repository. Writers verify their own data.
      await ask(['check', '--no-lock', ...(isWhole ? ['--read-data'] : [])]);
    },
    list: (tag) => listKept('--tag', tag),
    async read(id, path, take) {
      await ask(['dump', '--no-lock', id, path], { take });
    },
    async sizeOf(id, path) {
      const lines = (await ask(['ls', '--json', '--no-lock', id, `/${path}`])).trim().split('\n');
      const found = lines.map((line) => JSON.parse(line)).find((each) => each.path === `/${path}`);
      if (typeof found?.size !== 'number') throw new BackupFault(`restic: ${path} is not in what is kept`);
      return found.size;
    },
    async readInto(id, path, to, withinMs) {
      await ask(['dump', '--no-lock', id, path], { into: to, ...limit(withinMs) });
    },
    async bring(id, folder, paths = [], withinMs) {
      const chosen = paths.flatMap((path) => ['--include', `/${path}`]);
      const words = ['restore', '--no-lock', id, '--target', folder, '--verify', ...chosen];
      await ask(words, limit(withinMs));
    },
    async drop(ids) {
      if (ids.length === 0) return;
      // Locks of processes that were killed.
      await ask(['unlock']);
      await ask(['forget', '--prune', ...ids]);
    },
    async clear() {
      await ask(['unlock']);
      await ask(['prune']);
    },
    async remove() {
      if (place.kind === 'folder') {
        await removePlace(place);
        return;
      }
      // An S3-compatible store has no folders, so a location without content stays.
      const { kept } = await this.provide();
      await this.drop(kept.map(({ id }) => id));
    },
  };
}

function limit(withinMs: number | undefined): ResticRun {
  return withinMs === undefined ? {} : { signal: AbortSignal.timeout(Math.ceil(withinMs)) };
}

type Summary = { snapshot_id: string; total_bytes_processed: number; data_added: number };

function signalOf(...signals: (AbortSignal | undefined)[]): Pick<ResticRun, 'signal'> {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? {} : { signal: AbortSignal.any(given) };
}

function lastOf(lines: string): unknown {
  return JSON.parse(lines.trim().split('\n').at(-1) ?? '');
}

function asFault(error: unknown): BackupFault {
  if (error instanceof BackupFault) return error;
  throw error;
}

/**
 * Creates and removes repositories. An interrupted or concurrent creation leaves keys that cannot open the repository,
 * and this cannot be repaired. So the folder gets its name only when the repository is complete.
 */

/** Older drafts were left by a killed process. */
const draftMs = 60 * 60_000;

/** `make`: creates a repository at a location. An existing folder, such as the root of a disk, is filled directly. */
export async function makePlace(
  { kind, location }: BackupPlace,
  make: (location: string) => Promise<unknown>,
): Promise<void> {
  if (kind !== 'folder' || existsSync(location)) {
    await make(location);
    return;
  }
  const parent = dirname(location);
  await mkdir(parent, { recursive: true });
  const beginning = `${basename(location)}.making-`;
  await clearDrafts(parent, beginning);
  const draft = join(parent, `${beginning}${newId()}`);
  await make(draft);
  await rename(draft, location).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true });
    // Another process was faster. The next call finds its repository.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

/** Removes a folder completely. It is renamed first, so that a half-removed folder does not count as a place. */
async function removePlace({ location }: Pick<BackupPlace, 'location'>): Promise<void> {
  const leaving = `${location}.leaving`;
  await rm(leaving, { recursive: true, force: true });
  await ifThere(rename(location, leaving));
  await rm(leaving, { recursive: true, force: true });
}

async function clearDrafts(parent: string, beginning: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(beginning)) continue;
    const { mtimeMs } = await stat(join(parent, name)).catch(() => ({ mtimeMs: Number.NaN }));
    if (Date.now() - mtimeMs > draftMs) await rm(join(parent, name), { recursive: true, force: true });
  }
}
