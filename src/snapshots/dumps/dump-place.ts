/** The location of a dump's files: in a folder, or separately in the snapshot location. */
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import type { Repository, Saved, Saving } from '../../backup/restic.ts';
import { idsOf } from '../../backup/stored-tars.ts';
import type { LoadedDump } from '../../deployment/snapshot/dump.ts';
import { databasesIn } from './database-tools.ts';

export const listName = 'databases.json';
export const fileName = (at: number) => `${at}.sql`;

export type Take = (piece: Uint8Array) => Promise<void>;

/** Writes the content of a file. Stops at the abort. If it rejects, the file is not stored. */
export type Fill = (take: Take, signal?: AbortSignal) => Promise<void>;

/** The list comes first, then the files in their order. */
export type DumpWriter = (name: string, fill: Fill) => Promise<void>;

export type DumpReader = (name: string) => AsyncIterable<Uint8Array>;

/** Returns the folder of a pod's dumps, below the stored folder. */
export function pathOfDump({ pod }: Pick<LoadedDump, 'pod'>): string {
  return join('dumps', pod);
}

export function writerTo(folder: string, dump: LoadedDump): DumpWriter {
  const place = join(folder, pathOfDump(dump));
  return async (name, fill) => {
    await mkdir(place, { recursive: true, mode: 0o700 });
    await using file = await open(join(place, name), 'wx', 0o600);
    await fill((piece) => file.writeFile(piece));
  };
}

export function readerOf(folder: string, dump: LoadedDump): DumpReader {
  const place = join(folder, pathOfDump(dump));
  return (name) => createReadStream(join(place, name));
}

/** Without a folder: each file is stored while its tool writes it. `kept`: called for each, in order. */
export function writerInto(
  repository: Pick<Repository, 'saveStream'>,
  saving: Saving,
  kept: (saved: Saved) => void,
): DumpWriter {
  return async (name, fill) => {
    const write = (to: Writable, signal: AbortSignal) => fill((piece) => written(to, piece), signal);
    kept(await repository.saveStream(name, write, saving));
  };
}

function written(to: Writable, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => void to.write(piece, (error) => (error ? reject(error) : resolve())));
}

/**
 * Returns the readers of all dumps of a snapshot, by pod. `ids`: the ids of their files, in the order in which they
 * were stored.
 */
export async function readersFrom(
  ids: readonly string[],
  dumps: readonly LoadedDump[],
  reading: Reading,
): Promise<Map<string, DumpReader>> {
  const readers = new Map<string, DumpReader>();
  let left = ids;
  for (const { pod } of dumps) {
    const its = left;
    const databases = databasesIn(await textOf(piecesOf(its[0], listName, reading)));
    readers.set(pod, (name) => {
      const at = name === listName ? 0 : 1 + databases.findIndex((_, index) => name === fileName(index));
      return piecesOf(its[at], name, reading);
    });
    left = left.slice(1 + databases.length);
  }
  return readers;
}

type Reading = { repository: Pick<Repository, 'readInto'>; withinMs: number };

/** Returns the ids of dumps, which follow the ids of volumes. */
export function idsOfDumps(placeId: string, volumes: readonly unknown[]): string[] {
  return idsOf(placeId).slice(volumes.length);
}

async function* piecesOf(id: string | undefined, name: string, { repository, withinMs }: Reading) {
  if (id === undefined) throw new Error(`The file ${name} of a dump is not kept.`);
  const through = new PassThrough();
  const reading = repository.readInto(id, name, through, withinMs).then(
    () => void through.end(),
    (error: Error) => void through.destroy(error),
  );
  yield* through as AsyncIterable<Uint8Array>;
  await reading;
}

export async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(pieces)).toString('utf8');
}
