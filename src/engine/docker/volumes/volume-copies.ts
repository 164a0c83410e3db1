/**
 * Copies of volumes with their own file systems, and volumes that are filled separately and then replace those in use.
 * Each purpose has its own folder, in the layout of volumes.
 */

import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { atNearest, ifThere } from '../../../lib/missing-files.ts';
import { sync } from '../../../lib/replace-file.ts';
import { runProgram } from '../../../lib/run-program.ts';
import type { VolumeCopies } from '../../volume-facets.ts';
import { copyFrozen, type FrozenCopying } from './frozen-copy.ts';
import { unmount } from './loop-file.ts';
import { loopPlace } from './loop-layout.ts';
import { createLoopVolumes, type LoopVolumes } from './loop-volumes.ts';
import { readMounts } from './mount-table.ts';

/** The maximum wait of writers during a copy, because snapshots are frequent. */
const snapshotMs = 15_000;

/** The subfolder with the volumes. */
export const volumesIn = 'volumes';

export type CopiesOptions = {
  /** The folder of all volumes. */
  volumes: string;
  loops: LoopVolumes;
  /** The folder for copies, on the same file system. */
  copies: string;
  sizes: VolumeCopies['sizes'];
};

export function createVolumeCopies({ volumes: root, loops, copies, sizes }: CopiesOptions): VolumeCopies {
  const folderOf = (key: string) => join(copies, key);

  async function make(key: string): Promise<string> {
    await mkdir(copies, { recursive: true, mode: 0o700 });
    await makeFolder(folderOf(key));
    return folderOf(key);
  }

  return {
    sizes,
    async take(deploymentId, volumes, key, signal) {
      for (const volume of volumes) await loops.ensure({ deploymentId, volume });
      const folder = await make(key);
      const copy = await copyVolumes(root, folder, deploymentId, volumes, { signal, withinMs: snapshotMs });
      const mounts = volumes.map((volume) => loopPlace(join(folder, volumesIn), deploymentId, volume).mount);
      return { kind: 'files', ...copy, apparentBytes: await apparentBytesBelow(mounts) };
    },
    async make(deploymentId, volumes, key, _, signal) {
      const folder = await make(key);
      const drafts = createLoopVolumes(join(folder, volumesIn));
      for (const { volume, sizeBytes } of volumes) {
        signal?.throwIfAborted();
        await drafts.ensure({ deploymentId, volume }, sizeBytes);
      }
      const paths = volumes.map(({ volume }) => join(volumesIn, deploymentId, volume));
      return { kind: 'files', folder, paths };
    },
    async finish(deploymentId, volumes, key, signal) {
      for (const volume of volumes) {
        signal?.throwIfAborted();
        await finishVolume(folderOf(key), deploymentId, volume);
      }
    },
    async swap(deploymentId, volumes, { key, madeFor }) {
      const made = join(folderOf(key), volumesIn);
      const pairs = volumes.map((volume) => ({ volume, by: loopPlace(made, madeFor, volume) }));
      // The size file is written last, and stays when the image is moved.
      for (const { by } of pairs) if (!(await ifThere(stat(by.size)))) return false;
      for (const { volume, by } of pairs) await loops.replace({ deploymentId, volume }, by);
      return true;
    },
    async filledBytes(deploymentId, volumes, key) {
      const drafts = createLoopVolumes(join(folderOf(key), volumesIn));
      const usages = await drafts.usages().catch(() => []);
      return usages.reduce((sum, { volume, usedBytes, ...of }) => {
        return of.deploymentId === deploymentId && volumes.includes(volume) ? sum + usedBytes : sum;
      }, 0);
    },
    room: (deploymentId, volumes, keptIn) => freeBytesForCopies(root, deploymentId, volumes, keptIn),
    clear: (key) => clearFolder(folderOf(key)),
    list: async () => (await ifThere(readdir(copies))) ?? [],
  };
}

/**
 * Copies volumes of a deployment into a folder, all at one instant, and mounts the copies for reading. `paths`: the
 * mounted directories, relative to the folder. `pausedMs`: how long writers waited.
 */
export async function copyVolumes(
  root: string,
  folder: string,
  deploymentId: string,
  volumes: readonly string[],
  copying: FrozenCopying = {},
): Promise<{ folder: string; paths: string[]; pausedMs: number }> {
  const pairs = volumes.map((volume) => ({
    from: loopPlace(root, deploymentId, volume),
    to: loopPlace(join(folder, volumesIn), deploymentId, volume),
  }));
  for (const { to } of pairs) await mkdir(to.mount, { recursive: true, mode: 0o700 });
  const pausedMs = await copyFrozen(
    pairs.map(({ from, to }) => ({ image: from.image, mount: from.mount, copy: to.image })),
    copying,
  );
  const paths: string[] = [];
  for (const { to } of pairs) {
    // The journal is empty, and the mount is read-only. Its content must not be executed.
    await runProgram(['mount', '-t', 'ext4', '-o', 'loop,ro,noload,nosuid,nodev,noexec', to.image, to.mount]);
    const names = (await readdir(to.mount)).filter((name) => name !== 'lost+found');
    paths.push(...names.map((name) => join(to.mount, name).slice(folder.length + 1)));
  }
  return { folder, paths, pausedMs };
}

/** Completes a volume that was filled below the folder: syncs it to the disk and unmounts it. */
export async function finishVolume(folder: string, deploymentId: string, volume: string): Promise<void> {
  const place = loopPlace(join(folder, volumesIn), deploymentId, volume);
  await unmount(place);
  await sync(place.image);
  await sync(dirname(place.image));
}

/** The free disk space after copies of these volumes; `keptIn` as for `bytesOfCopies`. */
export async function freeBytesForCopies(
  root: string,
  deploymentId: string,
  volumes: readonly string[],
  keptIn?: string,
) {
  const { bavail, bsize } = await statfs(root);
  return bavail * bsize - (await bytesOfCopies(root, deploymentId, volumes, keptIn));
}

/**
 * Returns the disk space for copies of these volumes. `keptIn`: the folder that receives the content of the copies,
 * which may not exist yet. It needs the same space again if it is on the same disk.
 */
export async function bytesOfCopies(
  root: string,
  deploymentId: string,
  volumes: readonly string[],
  keptIn?: string,
): Promise<number> {
  const images = await Promise.all(volumes.map((volume) => stat(loopPlace(root, deploymentId, volume).image)));
  const bytes = images.reduce((sum, { blocks }) => sum + blocks * 512, 0);
  const isKeptHere = keptIn !== undefined && (await deviceOf(keptIn)) === (await deviceOf(root));
  return isKeptHere ? 2 * bytes : bytes;
}

async function deviceOf(folder: string): Promise<number> {
  return (await atNearest(folder, (path) => stat(path))).dev;
}

/** A tenant can create as many files as the volume has inodes, and as many names as fit into its directories. */
const walkMs = 10 * 60_000;

/**
 * Returns the number of bytes that a reader gets from the files in these directories. Other file systems are skipped.
 * Holes are read as zeros and hard links are read once for each name, so a volume of 16 MiB can contain terabytes.
 * Throws after ten minutes.
 */
export async function apparentBytesBelow(directories: readonly string[]): Promise<number> {
  if (directories.length === 0) return 0;
  const reported = await runProgram(
    ['du', '-s', '-x', '--count-links', '--apparent-size', '--block-size=1', '--', ...directories],
    { timeoutMs: walkMs },
  );
  return reported
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
}

/** Prepares a folder for data such as a backup. File systems may be mounted below it. */

/** Makes the folder empty, even after a killed call. */
export async function makeFolder(folder: string): Promise<void> {
  await clearFolder(folder);
  await mkdir(folder, { mode: 0o700 });
}

/**
 * Removes a folder. Never removes the content of a mount in it: the mount is unmounted, or it stays and this throws.
 */
export async function clearFolder(folder: string): Promise<void> {
  const mounted = [...(await readMounts().catch(() => new Map()))].map(([mount]) => mount as string);
  const below = mounted.filter((mount) => mount.startsWith(`${folder}/`));
  for (const mount of below.toReversed()) await runProgram(['umount', mount]);
  await rm(folder, { recursive: true, force: true });
}
