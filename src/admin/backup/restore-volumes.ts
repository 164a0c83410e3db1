/**
 * The data of deployments back in volumes where there are none of them. Each is made, filled and read back beside, and
 * gets its place by one rename: there is all of it or nothing. One that is there stays as it is, with all the others of
 * its deployment, whose data would not fit to older ones.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repository } from '../../backup/restic.ts';
import { loopPlace, volumesFolder } from '../../engine/docker/volumes/loop-layout.ts';
import { finishVolume, loopVolumesIn, volumesIn } from '../../engine/docker/volumes/volume-copies.ts';
import { sync } from '../../lib/synced-files.ts';
import type { KeptVolumes } from './backup-files.ts';

export type BroughtVolumes = {
  /** Those that a call which was interrupted has put in their places are left out. */
  brought: { deploymentId: string; volume: string }[];
  /** Deployments whose volumes are there. */
  left: string[];
};

type Bringing = { repository: Repository; dataDir: string; draft: string; begun: { left: string[] } | undefined };

/** `begun`: by a call that was interrupted; what is there was put there by it, but for those that it has left. */
export async function bringVolumes(
  kept: readonly KeptVolumes[],
  { repository, dataDir, draft, begun }: Bringing,
): Promise<BroughtVolumes> {
  const loops = loopVolumesIn(join(draft, volumesIn));
  const result: BroughtVolumes = { brought: [], left: [] };
  for (const { deploymentId, id, volumes } of kept) {
    const missing = volumes.filter(({ volume }) => !existsSync(folderOf(dataDir, deploymentId, volume)));
    if (begun ? begun.left.includes(deploymentId) : missing.length < volumes.length) {
      result.left.push(deploymentId);
      continue;
    }
    if (missing.length === 0) continue;
    for (const { volume, sizeBytes } of volumes) await loops.ensure({ deploymentId, volume }, sizeBytes);
    await repository.bring(id, draft);
    for (const { volume } of volumes) await finishVolume(draft, deploymentId, volume);
    result.brought.push(...missing.map(({ volume }) => ({ deploymentId, volume })));
  }
  return result;
}

/** Puts them in their places: nothing is there that could be written over. */
export async function placeVolumes(
  { brought }: BroughtVolumes,
  { dataDir, draft }: { dataDir: string; draft: string },
): Promise<void> {
  await mkdir(volumesFolder(dataDir), { recursive: true, mode: 0o700 });
  for (const { deploymentId, volume } of brought) {
    const from = loopPlace(join(draft, volumesIn), deploymentId, volume);
    const to = folderOf(dataDir, deploymentId, volume);
    await mkdir(dirname(to), { recursive: true, mode: 0o755 });
    await rename(from.folder, to);
    await sync(dirname(to));
  }
}

function folderOf(dataDir: string, deploymentId: string, volume: string): string {
  return loopPlace(volumesFolder(dataDir), deploymentId, volume).folder;
}
