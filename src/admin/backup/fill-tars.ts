/**
 * Restores the data of deployments to volumes on other machines. They are filled separately from tars and compared with
 * these; then each takes its place by a mark. The next call recognizes leftovers of an interrupted one by the backup's
 * id and removes them.
 */

import { BackupFault } from '../../backup/backup-fault.ts';
import { fillFromTars } from '../../backup/kept-tars.ts';
import type { Repository } from '../../backup/restic.ts';
import type { VolumeCopies } from '../../engine/volume-facets.ts';
import { movingMs } from '../../lib/moving-time.ts';
import type { VolumeFiller } from './restore-volumes.ts';

type Filling = { repository: Repository; copies: VolumeCopies; backupId: string };

/** As much of a backup's id as is a name of few letters. */
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
      await fillFromTars(made, names, { placeId, volumes }, { repository, withinMs: movingMs(totalBytes), stop });
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
