/**
 * Backs up the data of deployments that do not expire, one deployment after another. Its volumes are copied at one
 * instant, and the backup reads the copies.
 */

import type { Kysely } from 'kysely';
import type { Repository } from '../../backup/restic.ts';
import { storeTars } from '../../backup/stored-tars.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { takeCopy, type VolumeCopies } from '../../engine/volume-facets.ts';
import { newId } from '../../lib/ids.ts';
import { transferTimeoutMs } from '../../lib/transfer-timeout.ts';
import { wait as reallyWait, type Wait } from '../../lib/wait.ts';
import { heldCopies, holdCopy, holdMs } from '../../store/copy-holds.ts';
import type { Database } from '../../store/database.ts';
import { retainedDeployments } from '../../store/restorable-deployments.ts';
import type { Tables } from '../../store/rows.ts';
import { type SavedVolumes, volumesTag, volumesTagOf } from './backup-files.ts';

/** `not-here`: none of the volumes exists yet, or they do not have their own file systems on this machine. */
export type SkippedVolumes = {
  deploymentId: string;
  volumes: string[];
  because: 'not-here' | 'no-room' | 'failed';
  fault?: Error;
};

export type SizedVolumes = { volume: string; sizeBytes: number }[];

/** `pausedMs`: for so long its writers have waited, or were stopped. */
export type SavedWithPause = SavedVolumes & { pausedMs: number };

/** Where the volumes are. */
export type VolumeSaver = {
  /** Returns the wanted volumes that exist. */
  sizes(deploymentId: string, wanted: readonly string[]): Promise<SizedVolumes>;
  /** Undefined if there is not enough space for the copy. */
  save(deploymentId: string, volumes: SizedVolumes): Promise<SavedWithPause | undefined>;
};

export type VolumeReport = (step: { kind: 'kept-volumes'; deploymentId: string; pausedMs: number }) => void;

/** `saver`: or the error that explains its absence. */
export async function backUpVolumes(
  db: Database,
  saver: VolumeSaver | Error,
  reported: VolumeReport,
): Promise<{ kept: SavedVolumes[]; leftOut: SkippedVolumes[] }> {
  const kept: SavedVolumes[] = [];
  const leftOut: SkippedVolumes[] = [];
  for (const { id: deploymentId, volumes: wanted } of await retainedDeployments(db)) {
    let volumes = wanted;
    const leave = (because: SkippedVolumes['because'], fault?: Error) =>
      leftOut.push({ deploymentId, volumes, because, ...(fault && { fault }) });
    try {
      if (saver instanceof Error) throw saver;
      const here = await saver.sizes(deploymentId, wanted);
      volumes = wanted.filter((volume) => !here.some((found) => found.volume === volume));
      if (volumes.length > 0) leave('not-here');
      if (here.length === 0) continue;
      volumes = here.map(({ volume }) => volume);
      const one = await saver.save(deploymentId, here);
      if (!one) {
        leave('no-room');
        continue;
      }
      const { pausedMs, ...data } = one;
      reported({ kind: 'kept-volumes', deploymentId, pausedMs });
      kept.push(data);
    } catch (error) {
      // A failure of one deployment must not stop the backup of the others.
      leave('failed', error as Error);
    }
  }
  return { kept, leftOut };
}

/**
 * Backs up volumes on other machines: each is stored as a tar of a copy. A hold in the store protects the copy from the
 * service. If this command is killed, a service, or the next such command, removes the copy.
 */

type CopySaverOptions = { repository: Repository; copies: VolumeCopies; now: () => Instant };

/** The prefix of the names of all backups. No other name begins with it. */
const prefix = 'backup-';

/**
 * Removes the copies of killed backups, and restarts workloads that were stopped for them, because a service may not be
 * running to do so. A backup in progress renews its holds for longer than this waits.
 */
export async function clearKilledBackups(
  db: Kysely<Tables>,
  { copies, now }: Pick<CopySaverOptions, 'copies' | 'now'>,
  wait: Wait = reallyWait,
): Promise<void> {
  const left = (await copies.list()).filter((key) => key.startsWith(prefix));
  const held = await heldCopies(db, now());
  if (left.some((key) => held.has(key))) await wait(holdMs);
  const stillHeld = await heldCopies(db, now());
  // A failure to remove a copy does not prevent the backup of other data.
  for (const key of left) if (!stillHeld.has(key)) await copies.clear(key).catch(() => {});
}

export function copySaver(db: Kysely<Tables>, { repository, copies, now }: CopySaverOptions): VolumeSaver {
  return {
    async sizes(deploymentId, wanted) {
      const sizes = await copies.sizes(deploymentId);
      return wanted.flatMap((volume) => (sizes.has(volume) ? [{ volume, sizeBytes: sizes.get(volume)! }] : []));
    },
    async save(deploymentId, volumes) {
      const key = `${prefix}${newId()}`;
      await using opened = new AsyncDisposableStack();
      opened.use(await holdCopy(db, key, now));
      const names = volumes.map(({ volume }) => volume);
      const copy = await takeCopy(copies, deploymentId, names, key);
      opened.defer(() => copies.clear(key));
      if (copy.kind !== 'tars') throw new Error('A copy that is not a tar must be kept from its folder.');
      const at = now();
      const { placeId, totalBytes, addedBytes } = await storeTars(copy, names, repository, {
        tags: [volumesTag, volumesTagOf(deploymentId)],
        mayBeRenamed: false,
        withinMs: transferTimeoutMs(copy.apparentBytes),
      });
      const { pausedMs } = copy;
      return { deploymentId, id: placeId, form: 'tars', at, volumes, totalBytes, addedBytes, pausedMs };
    },
  };
}
