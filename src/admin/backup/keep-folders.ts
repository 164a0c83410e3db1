/** Volumes with file systems of their own on this machine, frozen while they run. It takes room for the largest deployment's data. */
import { join } from 'node:path';
import type { Repository } from '../../backup/restic.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { volumesFolder } from '../../engine/docker/volumes/loop-layout.ts';
import { createLoopVolumes } from '../../engine/docker/volumes/loop-volumes.ts';
import { clearFolder } from '../../engine/docker/volumes/mounted-folder.ts';
import { copyVolumes, roomBeside, volumesIn } from '../../engine/docker/volumes/volume-copies.ts';
import { volumesTag, volumesTagOf } from './backup-files.ts';
import type { KeptOnce, SizedVolumes, VolumeKeeper } from './backup-volumes.ts';

export type KeepingFolders = {
  repository: Repository;
  dataDir: string;
  /** Below it the copies are made. */
  draft: string;
  /** Disk space that copies of volumes must leave free. */
  diskFreeBytes: number;
  now: () => Instant;
};

export function keepFolders({ repository, dataDir, draft, diskFreeBytes, now }: KeepingFolders): VolumeKeeper {
  const root = volumesFolder(dataDir);
  const loops = createLoopVolumes(root);

  async function keepOne(deploymentId: string, volumes: SizedVolumes): Promise<KeptOnce> {
    const names = volumes.map(({ volume }) => volume);
    for (const volume of names) await loops.ensure({ deploymentId, volume });
    const { paths, pausedMs } = await copyVolumes(root, draft, deploymentId, names);
    const at = now();
    const saving = { tags: [volumesTag, volumesTagOf(deploymentId)], mayBeRenamed: false };
    const { id, totalBytes, addedBytes } = await repository.save(draft, paths, saving);
    return { deploymentId, id, at, volumes, totalBytes, addedBytes, pausedMs };
  }

  return {
    async sizes(deploymentId, wanted) {
      const sized = wanted.map(async (volume) => ({ volume, sizeBytes: await loops.sizeOf({ deploymentId, volume }) }));
      return (await Promise.all(sized)).filter(({ sizeBytes }) => sizeBytes > 0);
    },
    async keep(deploymentId, volumes) {
      const names = volumes.map(({ volume }) => volume);
      try {
        if ((await roomBeside(root, deploymentId, names)) < diskFreeBytes) return undefined;
        return await keepOne(deploymentId, volumes);
      } finally {
        await clearFolder(join(draft, volumesIn));
      }
    },
  };
}
