/** Entries as a tar stream: what one file holds is in memory only in pieces. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { type Pack, pack } from 'tar-stream';
import { addTarPieces, addTarText, type TarHeader } from '../../lib/tar-entries.ts';
import { PushFault } from '../push-fault.ts';
import type { Entry } from './folder-listing.ts';

/** Something that is in no folder of this machine. */
export type Made = { path: string; mode: number; uid?: number; gid?: number } & (
  | { kind: 'folder' }
  | { kind: 'made'; content: string }
);

/** In the order in which they are given. Everything belongs to root, unless it says otherwise. */
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

/** Adds as many bytes as the file had when it was listed. A growing file is cut, and a shrinking one is an error. */
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
