/**
 * Volumes that are in no folder of this machine: what is in each is kept as one tar, by itself. So what has changed since
 * is found by its content alone, and all of it is read each time.
 */
import type { Repository, Saved, Saving } from '../backup/restic.ts';
import type { SizedVolume } from '../deployment/snapshot/snapshot.ts';
import type { FillableTars, ReadableTars, SizedTar } from '../engine/volume-facets.ts';

/** In the place of its volume. */
const tarName = 'volume.tar';

/** What the place calls a volume, each in the order of the snapshot's. */
const between = ' ';

export type KeptTars = Omit<Saved, 'id'> & { placeId: string };

/** Each of the volumes, in this order. */
export async function keepTars(
  tars: ReadableTars,
  volumes: readonly string[],
  repository: Pick<Repository, 'saveStream'>,
  saving: Saving,
): Promise<KeptTars> {
  const ids: string[] = [];
  const sum = { totalBytes: 0, addedBytes: 0 };
  for (const volume of volumes) {
    const saved = await repository.saveStream(tarName, (to, signal) => tars.read(volume, to, signal), saving);
    ids.push(saved.id);
    sum.totalBytes += saved.totalBytes;
    sum.addedBytes += saved.addedBytes;
  }
  return { placeId: ids.join(between), ...sum };
}

export type FillingFromTars = {
  repository: Pick<Repository, 'sizeOf' | 'readInto'>;
  withinMs: number;
  stop: AbortSignal;
};

/** Fills volumes that were made with what is kept of those of these names. */
export async function fillFromTars(
  tars: FillableTars,
  wanted: readonly string[],
  { placeId, volumes }: { placeId: string; volumes: readonly SizedVolume[] },
  { repository, withinMs, stop }: FillingFromTars,
): Promise<void> {
  const ids = placeId.split(between);
  for (const volume of wanted) {
    const id = ids[volumes.findIndex((kept) => kept.volume === volume)];
    if (id === undefined) throw new Error(`The snapshot has no volume ${volume}.`);
    const sizeBytes = await repository.sizeOf(id, tarName);
    const read: SizedTar['read'] = (to) => repository.readInto(id, tarName, to, withinMs);
    // Once to fill, and once to be read back.
    const enough = AbortSignal.timeout(Math.ceil(2 * withinMs));
    await tars.fill(volume, { sizeBytes, read }, AbortSignal.any([stop, enough]));
  }
}
