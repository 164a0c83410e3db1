/**
 * Stores volumes that are not in a folder of this machine, each as one tar. Changes are therefore only detected by
 * content, and everything is read each time.
 */
import type { Writable } from 'node:stream';
import type { Repository, Saved, Saving } from './restic.ts';

/** The name of the tar in the snapshot. */
const tarName = 'volume.tar';

/** Separates the names of volumes that were stored together, in their order. */
const between = ' ';

/** The contents of volumes, by volume. */
export type TarsToStore = { read(volume: string, to: Writable, signal: AbortSignal): Promise<void> };

export type TarsToFill = {
  fill(
    volume: string,
    tar: { sizeBytes: number; read(to: Writable): Promise<void> },
    signal: AbortSignal,
  ): Promise<void>;
};

export type StoredTars = Omit<Saved, 'id'> & { placeId: string };

/** Each of the volumes, in this order. */
export async function storeTars(
  tars: TarsToStore,
  volumes: readonly string[],
  repository: Pick<Repository, 'saveStream'>,
  saving: Saving,
): Promise<StoredTars> {
  const ids: string[] = [];
  const sum = { totalBytes: 0, addedBytes: 0 };
  for (const volume of volumes) {
    const saved = await repository.saveStream(tarName, (to, signal) => tars.read(volume, to, signal), saving);
    ids.push(saved.id);
    sum.totalBytes += saved.totalBytes;
    sum.addedBytes += saved.addedBytes;
  }
  return { placeId: placeIdOf(ids), ...sum };
}

export type FillingFromTars = {
  repository: Pick<Repository, 'sizeOf' | 'readInto'>;
  withinMs: number;
  stop: AbortSignal;
};

/** Returns the ids of the parts of a stored snapshot: one for each volume, and further ones. */
export function idsOf(placeId: string): string[] {
  return placeId.split(between).filter((id) => id !== '');
}

export function placeIdOf(ids: readonly string[]): string {
  return ids.join(between);
}

/** Fills new volumes from their stored tars. */
export async function fillFromTars(
  tars: TarsToFill,
  wanted: readonly string[],
  { placeId, volumes }: { placeId: string; volumes: readonly { volume: string }[] },
  { repository, withinMs, stop }: FillingFromTars,
): Promise<void> {
  const ids = idsOf(placeId);
  for (const volume of wanted) {
    const id = ids[volumes.findIndex((kept) => kept.volume === volume)];
    if (id === undefined) throw new Error(`The volume ${volume} is not kept.`);
    const sizeBytes = await repository.sizeOf(id, tarName);
    const read = (to: Writable) => repository.readInto(id, tarName, to, withinMs);
    // Once to fill, and once to be read back.
    const enough = AbortSignal.timeout(Math.ceil(2 * withinMs));
    await tars.fill(volume, { sizeBytes, read }, AbortSignal.any([stop, enough]));
  }
}
