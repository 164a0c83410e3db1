/**
 * Copies of volumes with file systems of their own, mounted to be read until they are disposed. Each process has a folder
 * of its own for them, by its id: what a process that was killed has left is removed when the next one opens.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { createSemaphore } from '../../../lib/concurrency.ts';
import { type ArchivedVolumes, EngineFault, type VolumeArchive, type VolumeArchives } from '../../engine.ts';
import { labelSelector } from '../../labels.ts';
import { outOfDiskHint } from '../faults.ts';
import { nestedSlug, nestedVolumeName, volumeName } from '../names.ts';
import { type LoopPlace, loopPlace, nestedDirectory } from './loop-layout.ts';
import type { LoopVolumes } from './loop-volumes.ts';
import { clearFolder } from './mounted-folder.ts';
import { type Packing, packedSize, packFolder, stopPacking } from './packed-folder.ts';
import { copyVolumes, roomBeside, volumesIn } from './volume-copies.ts';

export type ArchivesOptions = {
  owner: string;
  loops: LoopVolumes;
  /** Where those are. */
  directory: string;
  /** What copies leave free of its disk. */
  diskFreeBytes: number;
};

/** Beside the volumes, where blocks can be shared with them. */
function copiesFolder(directory: string): string {
  return join(dirname(directory), 'exports');
}

export function createVolumeArchives(docker: Docker, options: ArchivesOptions): VolumeArchives {
  const { owner, loops, directory, diskFreeBytes } = options;
  const inTurn = createSemaphore(1);

  async function copyInto(root: string, deploymentId: string, volumes: readonly string[]): Promise<ArchivedVolumes> {
    const packing: Packing = new Set();
    await using opening = new AsyncDisposableStack();
    opening.defer(() => removeCopy(root));
    opening.defer(() => stopPacking(packing));
    await mkdir(root, { recursive: true, mode: 0o700 });
    for (const volume of volumes) await loops.ensure({ deploymentId, volume });
    const { pausedMs } = await copyVolumes(directory, root, deploymentId, volumes);
    const nested = await nestedPaths(docker, owner, deploymentId);
    const archives: VolumeArchive[] = [];
    for (const volume of volumes) {
      const to = loopPlace(join(root, volumesIn), deploymentId, volume);
      for (const { below, folder } of await foldersIn(to, nested.get(volume) ?? [])) {
        const sizeBytes = await packedSize(folder, packing);
        archives.push({ volume, below, sizeBytes, read: (signal) => packFolder(folder, packing, signal) });
      }
    }
    const open = opening.move();
    return { pausedMs, archives, [Symbol.asyncDispose]: () => open.disposeAsync() };
  }

  return {
    async take(deploymentId, volumes) {
      const sizes = await Promise.all(volumes.map((volume) => loops.sizeOf({ deploymentId, volume })));
      const here = volumes.filter((_, index) => sizes[index]! > 0);
      if (here.length === 0) return { pausedMs: 0, archives: [], [Symbol.asyncDispose]: async () => {} };
      // One at a time: two would each count on the same room.
      return await inTurn(async () => {
        await refuseWithoutRoom(directory, deploymentId, here, diskFreeBytes);
        return await copyInto(join(copiesFolder(directory), `${process.pid}-${randomUUID()}`), deploymentId, here);
      });
    },
  };
}

/** What processes that are not there any more have left. */
export async function removeLeftCopies(directory: string): Promise<void> {
  const folder = copiesFolder(directory);
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(name.split('-')[0]);
    if (pid === process.pid || !isAlive(pid)) await removeCopy(join(folder, name));
  }
}

/** With the folder of all copies, when it was the last. */
async function removeCopy(root: string): Promise<void> {
  await clearFolder(root);
  await rmdir(dirname(root)).catch(() => {});
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function refuseWithoutRoom(
  directory: string,
  deploymentId: string,
  volumes: readonly string[],
  diskFreeBytes: number,
): Promise<void> {
  if ((await roomBeside(directory, deploymentId, volumes)) >= diskFreeBytes) return;
  const message = 'The disk of the server has no room for a copy of the volumes now.';
  throw new EngineFault('unavailable', message, { hint: outOfDiskHint });
}

/** By volume: the directories below it that its image declares as volumes, as containers have them. */
async function nestedPaths(docker: Docker, owner: string, deploymentId: string): Promise<Map<string, string[]>> {
  const filters = { label: labelSelector(owner, deploymentId) };
  const containers = await docker.listContainers({ all: true, filters });
  const paths = new Map<string, Set<string>>();
  const own = volumeName(deploymentId, '');
  for (const { Mounts: mounts } of containers) {
    for (const { Name: above, Destination: folder } of mounts) {
      if (!above?.startsWith(own)) continue;
      const volume = above.slice(own.length);
      for (const { Name: name, Destination: path } of mounts) {
        const relative = path.slice(folder.length + 1);
        if (!path.startsWith(`${folder}/`) || name !== nestedVolumeName(deploymentId, volume, relative)) continue;
        paths.set(volume, (paths.get(volume) ?? new Set()).add(relative));
      }
    }
  }
  return new Map([...paths].map(([volume, all]) => [volume, [...all].sort()]));
}

async function foldersIn(place: LoopPlace, nested: readonly string[]): Promise<{ below: string; folder: string }[]> {
  const names = new Set(await readdir(place.mount));
  const folders = [
    { below: '', folder: place.data },
    ...nested.map((below) => ({ below, folder: nestedDirectory(place, nestedSlug(below)) })),
  ];
  return folders.filter(({ folder }) => names.has(folder.slice(place.mount.length + 1)));
}
