/**
 * The data of deployments that do not expire, one deployment after another: its volumes are copied as they are at one
 * instant, while it runs, and what is kept is read from the copies. It takes room for the largest deployment's data.
 */
import { mkdir, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../../backup/restic.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { copyFrozen } from '../../engine/docker/volumes/frozen-copy.ts';
import { loopPlace, volumesFolder } from '../../engine/docker/volumes/loop-layout.ts';
import { createLoopVolumes } from '../../engine/docker/volumes/loop-volumes.ts';
import { runProgram } from '../../engine/docker/volumes/volume-programs.ts';
import type { Database } from '../../store/database.ts';
import { keptDeployments } from '../../store/kept-deployments.ts';
import { clearDraft } from './backup-draft.ts';
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
      if (await hasRoom(order, deploymentId, volumes)) {
        for (const volume of volumes) await loops.ensure({ deploymentId, volume });
        kept.push(await keepOne(deploymentId, here, order));
      } else leftOut.push({ deploymentId, volumes, because: 'no-room' });
    } catch (error) {
      // One of many must not keep the others from being backed up.
      leftOut.push({ deploymentId, volumes, because: 'failed', fault: error as Error });
    } finally {
      await clearDraft(join(order.draft, 'volumes'));
    }
  }
  return { kept, leftOut };
}

/** They belong to whoever is root here: what their containers own they own by numbers. */
export function loopVolumesIn(root: string) {
  return createLoopVolumes(root, async () => ({ uid: 0, gid: 0 }));
}

type Sized = { volume: string; sizeBytes: number };

async function sizesHere(
  loops: ReturnType<typeof loopVolumesIn>,
  deploymentId: string,
  wanted: readonly string[],
): Promise<Sized[]> {
  const sized = wanted.map(async (volume) => ({ volume, sizeBytes: await loops.sizeOf({ deploymentId, volume }) }));
  return (await Promise.all(sized)).filter(({ sizeBytes }) => sizeBytes > 0);
}

async function hasRoom({ dataDir, diskFreeBytes }: VolumesOrder, deploymentId: string, volumes: readonly string[]) {
  const root = volumesFolder(dataDir);
  const images = await Promise.all(volumes.map((volume) => stat(loopPlace(root, deploymentId, volume).image)));
  const needed = images.reduce((sum, { blocks }) => sum + blocks * 512, 0);
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize - needed >= diskFreeBytes;
}

async function keepOne(deploymentId: string, volumes: Sized[], order: VolumesOrder): Promise<KeptVolumes> {
  const { repository, dataDir, draft, now, told } = order;
  const pairs = volumes.map(({ volume }) => ({
    from: loopPlace(volumesFolder(dataDir), deploymentId, volume),
    to: loopPlace(join(draft, 'volumes'), deploymentId, volume),
  }));
  for (const { to } of pairs) await mkdir(to.mount, { recursive: true, mode: 0o700 });
  const pausedMs = await copyFrozen(
    pairs.map(({ from, to }) => ({ image: from.image, mount: from.mount, copy: to.image })),
  );
  const at = now();
  const paths: string[] = [];
  for (const { to } of pairs) {
    // Its journal is empty, and nothing is to be written to it; what is in it is nobody's program here.
    await runProgram(['mount', '-t', 'ext4', '-o', 'loop,ro,noload,nosuid,nodev,noexec', to.image, to.mount]);
    const names = (await readdir(to.mount)).filter((name) => name !== 'lost+found');
    paths.push(...names.map((name) => join(to.mount, name).slice(draft.length + 1)));
  }
  const saving = { tags: [volumesTag, volumesTagOf(deploymentId)], mayBeRenamed: false };
  const { id, totalBytes, addedBytes } = await repository.save(draft, paths, saving);
  told({ kind: 'kept-volumes', deploymentId, pausedMs });
  return { deploymentId, id, at, volumes, totalBytes, addedBytes };
}
