/** Lists the entries of a folder in a machine-independent order, so that the same content gives the same layer. */

import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { type Pack, pack } from 'tar-stream';
import { ifThere } from '../../lib/missing-files.ts';
import { addTarPieces, addTarText, type TarHeader } from '../../lib/tar-entries.ts';
import { PushFault } from '../push-fault.ts';

/** A folder with more entries contains something unintended: a home folder, a cache. */
const maxEntries = 200_000;

export type Entry = {
  /** Relative to the folder, with `/` between its parts. */
  path: string;
  /** The path on this machine. */
  from: string;
  mode: number;
  /** The time of the last change, in seconds with fractions. */
  changedAt: number;
} & ({ kind: 'folder' } | { kind: 'file'; sizeBytes: number } | { kind: 'link'; target: string });

/** Entries to leave out of a listing. */
export type Ignored = {
  /** Called for folders before the files in them. */
  ignores(path: string, isFolder: boolean): boolean;
  /** Returns whether an ignored folder may contain entries that are not ignored. */
  mayKeepBelow(path: string): boolean;
};

/** The CLI's own folder, which contains tokens and must not get into an image. */
export const berthFolder = '.berth';

/** Lists the entries by path. Sockets, pipes and devices are skipped, because they make no sense in a layer. */
export async function listFolder(folder: string, ignored?: Ignored): Promise<Entry[]> {
  const found: Entry[] = [];
  const visit = async (below: string): Promise<void> => {
    for (const { name } of await readdir(join(folder, below), { withFileTypes: true })) {
      if (name === berthFolder) continue;
      const path = posix.join(below, name);
      const entry = await entryAt(join(folder, path), path);
      if (!entry) continue;
      const isFolder = entry.kind === 'folder';
      const isIgnored = ignored?.ignores(path, isFolder) ?? false;
      if (!isIgnored) found.push(entry);
      if (found.length > maxEntries)
        throw new PushFault(`${folder} has more than ${maxEntries} files: is it the right folder?`);
      if (isFolder && (!isIgnored || ignored!.mayKeepBelow(path))) await visit(path);
    }
  };
  await visit('');
  return withParents(found).toSorted((a, b) => (a.path < b.path ? -1 : 1));

  /** Adds an ignored folder if it contains entries that are not ignored. */
  function withParents(entries: Entry[]): Entry[] {
    const there = new Set(entries.map(({ path }) => path));
    const missing = new Set<string>();
    for (const { path } of entries) {
      for (let parent = posix.dirname(path); parent !== '.' && !there.has(parent); parent = posix.dirname(parent))
        missing.add(parent);
    }
    const made = [...missing].map(
      (path): Entry => ({ kind: 'folder', path, from: join(folder, path), mode: 0o755, changedAt: 0 }),
    );
    return [...entries, ...made];
  }
}

/** Returns one file or folder itself, under another path. */
export async function entryAt(from: string, path: string): Promise<Entry | undefined> {
  const stat = await ifThere(lstat(from));
  // Removed since the folder was read.
  if (!stat) return undefined;
  const shared = { path, from, mode: stat.mode & 0o7777, changedAt: stat.mtimeMs / 1000 };
  if (stat.isSymbolicLink()) return { kind: 'link', ...shared, target: await readlink(from) };
  // Changes of entries change the time of their folder, so it is left out: the entries themselves are compared.
  if (stat.isDirectory()) return { kind: 'folder', ...shared, changedAt: 0 };
  return stat.isFile() ? { kind: 'file', ...shared, sizeBytes: stat.size } : undefined;
}

export function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.sizeBytes : 0), 0);
}

/** The largest files and top folders of a listing, largest first, to explain its size. */
export function largestPaths(entries: readonly Entry[], count: number): { path: string; sizeBytes: number }[] {
  const sizes = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'file') continue;
    const [top, ...rest] = entry.path.split('/');
    const name = rest.length > 0 ? `${top}/` : top!;
    sizes.set(name, (sizes.get(name) ?? 0) + entry.sizeBytes);
  }
  return [...sizes]
    .map(([path, sizeBytes]) => ({ path, sizeBytes }))
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, count);
}

/** Packs entries into a tar stream. Only pieces of a file are in memory. */

/** An entry that does not exist on this machine. */
export type Made = { path: string; mode: number; uid?: number; gid?: number } & (
  | { kind: 'folder' }
  | { kind: 'made'; content: string }
);

/** Packs entries in the given order. They belong to root unless they name an owner. */
export function packEntries(entries: readonly (Entry | Made)[]): Readable {
  const tar = pack();
  void (async () => {
    for (const entry of entries) {
      if (tar.destroyed) return;
      await add(tar, entry);
    }
    tar.finalize();
  })().catch((error: Error) => tar.destroy(error));
  return Readable.from(tar, { objectMode: false });
}

async function add(tar: Pack, entry: Entry | Made): Promise<void> {
  const { uid = 0, gid = 0, changedAt = 0 } = entry as { uid?: number; gid?: number; changedAt?: number };
  const header: TarHeader = {
    name: entry.path,
    mode: entry.mode,
    mtime: new Date(Math.floor(changedAt) * 1000),
    uid,
    gid,
  };
  switch (entry.kind) {
    case 'folder':
      return await addTarText(tar, { ...header, name: `${entry.path}/`, type: 'directory' });
    case 'link':
      return await addTarText(tar, { ...header, type: 'symlink', linkname: entry.target });
    case 'made':
      return await addTarText(tar, header, entry.content);
    case 'file':
      return await addFile(tar, header, entry);
  }
}

/**
 * Adds the number of bytes that the file had when it was listed. A growing file is cut, and a shrinking one is an
 * error.
 */
async function addFile(
  tar: Pack,
  header: TarHeader,
  { from, sizeBytes: size }: Entry & { kind: 'file' },
): Promise<void> {
  if (size === 0) return await addTarText(tar, header);
  const written = await addTarPieces(tar, { ...header, size }, readable(from, size));
  if (written !== size && !tar.destroyed) throw new PushFault(`${from} was changed while it was read; try again.`);
}

async function* readable(from: string, sizeBytes: number): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(from, { end: sizeBytes - 1, highWaterMark: 256 * 1024 });
  } catch (error) {
    throw new PushFault(`${from} cannot be read: ${(error as Error).message}`);
  }
}
