/**
 * Backs up volumes on other machines: each is stored as a tar of a copy. A hold in the store protects the copy from the
 * service. If this command is killed, a service, or the next such command, removes the copy.
 */
import type { Kysely } from 'kysely';
import { keepTars } from '../../backup/kept-tars.ts';
import type { Repository } from '../../backup/restic.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { takeCopy } from '../../engine/take-copy.ts';
import type { VolumeCopies } from '../../engine/volume-facets.ts';
import { newId } from '../../lib/ids.ts';
import { movingMs } from '../../lib/moving-time.ts';
import { wait as reallyWait, type Wait } from '../../lib/wait.ts';
import { heldCopies, holdCopy, holdMs } from '../../store/copy-holds.ts';
import type { Tables } from '../../store/rows.ts';
import { volumesTag, volumesTagOf } from './backup-files.ts';
import type { VolumeKeeper } from './backup-volumes.ts';

export type KeepingCopies = { repository: Repository; copies: VolumeCopies; now: () => Instant };

/** Of all backups, and of nothing else. */
const prefix = 'backup-';

/**
 * Removes the copies of killed backups, and restarts workloads that were stopped for them, because a service may not be
 * running to do so. A backup in progress renews its holds for longer than this waits.
 */
export async function clearKilledBackups(
  db: Kysely<Tables>,
  { copies, now }: Pick<KeepingCopies, 'copies' | 'now'>,
  wait: Wait = reallyWait,
): Promise<void> {
  const left = (await copies.list()).filter((key) => key.startsWith(prefix));
  const held = await heldCopies(db, now());
  if (left.some((key) => held.has(key))) await wait(holdMs);
  const stillHeld = await heldCopies(db, now());
  // A failure to remove a copy does not prevent the backup of other data.
  for (const key of left) if (!stillHeld.has(key)) await copies.clear(key).catch(() => {});
}

export function keepCopies(db: Kysely<Tables>, { repository, copies, now }: KeepingCopies): VolumeKeeper {
  return {
    async sizes(deploymentId, wanted) {
      const sizes = await copies.sizes(deploymentId);
      return wanted.flatMap((volume) => (sizes.has(volume) ? [{ volume, sizeBytes: sizes.get(volume)! }] : []));
    },
    async keep(deploymentId, volumes) {
      const key = `${prefix}${newId()}`;
      await using opened = new AsyncDisposableStack();
      opened.use(await holdCopy(db, key, now));
      const names = volumes.map(({ volume }) => volume);
      const copy = await takeCopy(copies, deploymentId, names, key);
      opened.defer(() => copies.clear(key));
      if (copy.kind !== 'tars') throw new Error('A copy that is not a tar must be kept from its folder.');
      const at = now();
      const { placeId, totalBytes, addedBytes } = await keepTars(copy, names, repository, {
        tags: [volumesTag, volumesTagOf(deploymentId)],
        mayBeRenamed: false,
        withinMs: movingMs(copy.apparentBytes),
      });
      const { pausedMs } = copy;
      return { deploymentId, id: placeId, form: 'tars', at, volumes, totalBytes, addedBytes, pausedMs };
    },
  };
}
