/**
 * Restores the data of deployments to missing volumes of this machine. Each volume is created, filled and verified
 * separately, and then takes its place by one rename.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repository } from '../../backup/restic.ts';
import { loopPlace, volumesFolder } from '../../engine/docker/volumes/loop-layout.ts';
import { createLoopVolumes } from '../../engine/docker/volumes/loop-volumes.ts';
import { finishVolume, volumesIn } from '../../engine/docker/volumes/volume-copies.ts';
import { sync } from '../../lib/synced-files.ts';
import type { VolumeFiller } from './restore-volumes.ts';

type Folders = { repository: Repository; dataDir: string; draft: string };

export function fillFolders({ repository, dataDir, draft }: Folders): VolumeFiller {
  const loops = createLoopVolumes(join(draft, volumesIn));
  return {
    form: undefined,
    async missing({ deploymentId, volumes }) {
      return volumes.filter(({ volume }) => !existsSync(folderOf(dataDir, deploymentId, volume)));
    },
    async fill({ deploymentId, id, volumes }) {
      for (const { volume, sizeBytes } of volumes) await loops.ensure({ deploymentId, volume }, sizeBytes);
      await repository.bring(id, draft);
      for (const { volume } of volumes) await finishVolume(draft, deploymentId, volume);
    },
    async place(brought) {
      await mkdir(volumesFolder(dataDir), { recursive: true, mode: 0o700 });
      for (const { deploymentId, volume } of brought) {
        const from = loopPlace(join(draft, volumesIn), deploymentId, volume);
        const to = folderOf(dataDir, deploymentId, volume);
        await mkdir(dirname(to), { recursive: true, mode: 0o755 });
        await rename(from.folder, to);
        await sync(dirname(to));
      }
    },
  };
}

function folderOf(dataDir: string, deploymentId: string, volume: string): string {
  return loopPlace(volumesFolder(dataDir), deploymentId, volume).folder;
}
