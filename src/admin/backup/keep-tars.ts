/**
 * Volumes that are on no disk of this machine: each is kept as a tar of a copy. The copy is held in the store meanwhile: a
 * service leaves it alone. Where this command is killed, a service clears it, or the next such command.
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
 * Clears what backups that were killed have left, and lets those go on that were stopped for them: no service may run that
 * does it. One that still works holds what it has longer than anybody waits here.
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
  // What cannot be cleared keeps nobody else's data from being kept.
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
