/**
 * Restores the data of deployments whose volumes are all missing. An existing volume stays as it is, and so do the
 * others of its deployment, because older data would not match.
 */

import { BackupFault } from '../../backup/backup-fault.ts';
import type { Repository } from '../../backup/restic.ts';
import { fillFromTars } from '../../backup/stored-tars.ts';
import type { VolumeCopies } from '../../engine/volume-facets.ts';
import { transferTimeoutMs } from '../../lib/transfer-timeout.ts';
import type { SavedVolumes } from './backup-files.ts';

export type RestoredVolumes = {
  /** Volumes that this call restored. Those of an earlier, interrupted call are left out. */
  brought: { deploymentId: string; volume: string }[];
  /** Deployments whose volumes already exist. */
  left: string[];
};

/** Where the volumes are to be. */
export type VolumeFiller = {
  /** The form of the copies that it can restore from. */
  form: SavedVolumes['form'];
  /** Returns the saved volumes that do not exist. */
  missing(kept: SavedVolumes): Promise<SavedVolumes['volumes']>;
  /** Creates the volumes separately and empty, then fills and verifies them. `missing`: the needed ones. */
  fill(kept: SavedVolumes, missing: SavedVolumes['volumes']): Promise<void>;
  /** Moves all of them to their places. No existing volume is overwritten. */
  place(brought: RestoredVolumes['brought']): Promise<void>;
};

/**
 * `begun`: an interrupted call has started the restore. It created the existing volumes, except those that it reported
 * as left.
 */
export async function restoreVolumes(
  kept: readonly SavedVolumes[],
  filler: VolumeFiller,
  begun: { left: string[] } | undefined,
): Promise<RestoredVolumes> {
  const result: RestoredVolumes = { brought: [], left: [] };
  for (const one of kept) {
    const { deploymentId, volumes } = one;
    const missing = await filler.missing(one);
    if (begun ? begun.left.includes(deploymentId) : missing.length < volumes.length) {
      result.left.push(deploymentId);
      continue;
    }
    if (missing.length === 0) continue;
    await filler.fill(one, missing);
    result.brought.push(...missing.map(({ volume }) => ({ deploymentId, volume })));
  }
  return result;
}

/**
 * Restores the data of deployments to volumes on other machines. They are filled separately from tars and compared with
 * these; then each takes its place by a mark. The next call recognizes leftovers of an interrupted one by the backup's
 * id and removes them.
 */

type Filling = { repository: Repository; copies: VolumeCopies; backupId: string };

/** The length of the backup ID's prefix that fits into a name. */
const keyLength = 16;

export async function fillCopies({ repository, copies, backupId }: Filling): Promise<VolumeFiller> {
  const key = `restore-${backupId.slice(0, keyLength)}`;
  await copies.clear(key);
  return {
    form: 'tars',
    async missing({ deploymentId, volumes }) {
      const present = await copies.sizes(deploymentId);
      return volumes.filter(({ volume }) => !present.has(volume));
    },
    async fill({ deploymentId, id: placeId, volumes, totalBytes }, missing) {
      const names = missing.map(({ volume }) => volume);
      const made = await copies.make(deploymentId, missing, key);
      if (made.kind !== 'tars') throw new Error('A copy that is not a tar must be filled on its machine.');
      const { signal: stop } = new AbortController();
      await fillFromTars(
        made,
        names,
        { placeId, volumes },
        { repository, withinMs: transferTimeoutMs(totalBytes), stop },
      );
      await copies.finish(deploymentId, names, key);
    },
    async place(brought) {
      for (const [deploymentId, its] of Map.groupBy(brought, (each) => each.deploymentId)) {
        const names = its.map(({ volume }) => volume);
        if (!(await copies.swap(deploymentId, names, { key, madeFor: deploymentId })))
          throw new BackupFault('The restored volumes have disappeared: start the restore again.');
      }
      await copies.clear(key);
    },
  };
}
