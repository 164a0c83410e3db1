/**
 * The data of volumes on other machines: reads a copy of them as tars until it is disposed. A hold in the store
 * protects the copy from being cleaned up.
 */
import { PassThrough, type Readable } from 'node:stream';
import { takeCopy } from '../../engine/take-copy.ts';
import type { ArchivedVolumes, ReadableTars, VolumeArchive, VolumeCopies } from '../../engine/volume-facets.ts';
import { newId } from '../../lib/ids.ts';
import { holdCopy } from '../../store/copy-holds.ts';
import type { Service } from '../api-service.ts';

type Wanted = { deploymentId: string; volumes: readonly string[]; signal: AbortSignal };

/** Omits volumes that do not exist. Throws EngineFault, and when aborted. */
export async function takeTars(
  copies: VolumeCopies,
  { db, now }: Pick<Service, 'db' | 'now'>,
  { deploymentId, volumes, signal }: Wanted,
): Promise<ArchivedVolumes> {
  const present = await copies.sizes(deploymentId);
  const here = volumes.filter((volume) => present.has(volume));
  await using opening = new AsyncDisposableStack();
  const archives: VolumeArchive[] = [];
  let [pausedMs, areApart] = [0, false];
  if (here.length > 0) {
    const key = `export-${newId()}`;
    opening.use(await holdCopy(db, key, now));
    const copy = await takeCopy(copies, deploymentId, here, key, signal);
    opening.defer(() => copies.clear(key));
    if (copy.kind !== 'tars') throw new Error('An engine that copies into a folder has archives of its own.');
    ({ pausedMs, areApart = false } = copy);
    for (const volume of here)
      archives.push({
        volume,
        below: '',
        sizeBytes: copy.sizes.get(volume)!,
        read: (signal) => readableOf(copy, volume, signal),
      });
  }
  const open = opening.move();
  return { pausedMs, areApart, archives, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Ends after all data, or fails. */
function readableOf(copy: ReadableTars, volume: string, signal: AbortSignal): Readable {
  const passed = new PassThrough();
  const left = new AbortController();
  passed.once('close', () => left.abort());
  copy.read(volume, passed, AbortSignal.any([signal, left.signal])).then(
    () => passed.end(),
    (error: Error) => passed.destroy(error),
  );
  return passed;
}
