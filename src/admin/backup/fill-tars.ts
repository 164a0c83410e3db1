/**
 * The data of deployments back in volumes that are on no disk of this machine. They are filled beside by tars and held
 * against these; then each gets its place by a mark. What a call that was interrupted has put beside is removed by the
 * next one, which knows it by the backup's id.
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
