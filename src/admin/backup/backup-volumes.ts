/**
 * The data of deployments that do not expire, one deployment after another: its volumes are copied as they are at one
 * instant, while it runs, and what is kept is read from the copies. It takes room for the largest deployment's data.
 */
import { join } from 'node:path';
import type { Repository } from '../../backup/restic.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { volumesFolder } from '../../engine/docker/volumes/loop-layout.ts';
import type { LoopVolumes } from '../../engine/docker/volumes/loop-volumes.ts';
import { clearFolder } from '../../engine/docker/volumes/mounted-folder.ts';
import { copyVolumes, loopVolumesIn, roomBeside, volumesIn } from '../../engine/docker/volumes/volume-copies.ts';
import type { Database } from '../../store/database.ts';
import { keptDeployments } from '../../store/kept-deployments.ts';
import { type KeptVolumes, volumesTag, volumesTagOf } from './backup-files.ts';

/** `not-here`: they are no file systems of their own on this machine, or there is none of them yet. */
export type LeftOut = {
  deploymentId: string;
  volumes: string[];
  because: 'not-here' | 'no-room' | 'failed';
  fault?: Error;
};

export type VolumesOrder = {
  repository: Repository;
  dataDir: string;
  /** Below it the copies are made. */
  draft: string;
  diskFreeBytes: number;
  now: () => Instant;
  /** `pausedMs`: for so long its writers have waited. */
  told: (step: { kind: 'kept-volumes'; deploymentId: string; pausedMs: number }) => void;
};

export async function backUpVolumes(
  db: Database,
  order: VolumesOrder,
): Promise<{ kept: KeptVolumes[]; leftOut: LeftOut[] }> {
  const kept: KeptVolumes[] = [];
  const leftOut: LeftOut[] = [];
  const loops = loopVolumesIn(volumesFolder(order.dataDir));
  for (const { id: deploymentId, volumes: wanted } of await keptDeployments(db)) {
    const here = await sizesHere(loops, deploymentId, wanted);
    const missing = wanted.filter((volume) => !here.some((found) => found.volume === volume));
    if (missing.length > 0) leftOut.push({ deploymentId, volumes: missing, because: 'not-here' });
    if (here.length === 0) continue;
    const volumes = here.map(({ volume }) => volume);
    try {
      if ((await roomBeside(volumesFolder(order.dataDir), deploymentId, volumes)) >= order.diskFreeBytes) {
        for (const volume of volumes) await loops.ensure({ deploymentId, volume });
        kept.push(await keepOne(deploymentId, here, order));
      } else leftOut.push({ deploymentId, volumes, because: 'no-room' });
    } catch (error) {
      // One of many must not keep the others from being backed up.
      leftOut.push({ deploymentId, volumes, because: 'failed', fault: error as Error });
    } finally {
      await clearFolder(join(order.draft, volumesIn));
    }
  }
  return { kept, leftOut };
}

type Sized = { volume: string; sizeBytes: number };

async function sizesHere(loops: LoopVolumes, deploymentId: string, wanted: readonly string[]): Promise<Sized[]> {
  const sized = wanted.map(async (volume) => ({ volume, sizeBytes: await loops.sizeOf({ deploymentId, volume }) }));
  return (await Promise.all(sized)).filter(({ sizeBytes }) => sizeBytes > 0);
}

async function keepOne(deploymentId: string, volumes: Sized[], order: VolumesOrder): Promise<KeptVolumes> {
  const { repository, dataDir, draft, now, told } = order;
  const names = volumes.map(({ volume }) => volume);
  const { paths, pausedMs } = await copyVolumes(volumesFolder(dataDir), draft, deploymentId, names);
  const at = now();
  const saving = { tags: [volumesTag, volumesTagOf(deploymentId)], mayBeRenamed: false };
  const { id, totalBytes, addedBytes } = await repository.save(draft, paths, saving);
  told({ kind: 'kept-volumes', deploymentId, pausedMs });
  return { deploymentId, id, at, volumes, totalBytes, addedBytes };
}
