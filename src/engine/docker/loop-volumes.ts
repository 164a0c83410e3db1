/**
 * Volumes with a hard limit: each is a file system of its own in a sparse file, mounted through a loop device (some
 * 25 ms and 0.7 MB; measured). The engine binds a directory of it. Every step looks at what is there: after a reboot,
 * a crash or a kill at any instant, `ensure` leaves the volume complete and mounted, and `remove` leaves nothing.
 *
 * Loop devices come with the mount and go with the last one (`mount -o loop`): there is none to be left behind.
 */
import { chown, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, statfs, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { leastVolumeBytes } from '../../deployment/disk.ts';
import { EngineFault } from '../engine.ts';
import { outOfDiskHint } from './faults.ts';
import { inodesPer, type LoopPlace, loopPlace, nestedDirectory, shapeOf } from './loop-layout.ts';
import { readMounts } from './mount-table.ts';
import { ProgramError, runProgram } from './programs.ts';
import { createTurns } from './turns.ts';

export type LoopVolume = { deploymentId: string; volume: string };

export type LoopVolumes = {
  /** What a container's volume has to be bound to. */
  dataOf(volume: LoopVolume): string;
  has(volume: LoopVolume): Promise<boolean>;
  /**
   * Afterwards the volume is mounted and, with a size given, at least that large. What is in it stays; it never
   * shrinks. `release` stops whoever uses it, for hosts that let nobody grow a file system that is mounted; it may be
   * called once. Throws EngineFault when the host cannot do that now, or, without a size, when there is no such volume.
   */
  ensure(volume: LoopVolume, sizeBytes?: number, release?: () => Promise<void>): Promise<void>;
  /** Makes a directory beside the data, for a volume that an image declares below it; answers its path. */
  ensureNested(volume: LoopVolume, slug: string): Promise<string>;
  /** The size that was asked for last; 0 while the volume is not complete. */
  sizeOf(volume: LoopVolume): Promise<number>;
  /** What is in it and how much more fits; undefined while it is not mounted. */
  usageOf(volume: LoopVolume): Promise<LoopUsage | undefined>;
  /** One that is gone is no error. */
  remove(volume: LoopVolume): Promise<void>;
  /** All that there is anything of; of one deployment, if one is given. */
  list(deploymentId?: string): Promise<LoopVolume[]>;
};

export type LoopUsage = {
  usedBytes: number;
  freeBytes: number;
  usedFiles: number;
  freeFiles: number;
};

export type UserIds = { uid: number; gid: number };

/** `root`: a folder of this installation alone. `ownerOfData`: who is root in the engine's containers. */
export function createLoopVolumes(root: string, ownerOfData: () => Promise<UserIds>): LoopVolumes {
  const inTurn = createTurns();
  const placeOf = ({ deploymentId, volume }: LoopVolume) => loopPlace(root, deploymentId, volume);

  async function makeDirectory(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const { uid, gid } = await ownerOfData();
    await chown(path, uid, gid);
  }

  async function ensure(volume: LoopVolume, sizeBytes?: number, release = nobody): Promise<void> {
    const place = placeOf(volume);
    const isThere = await exists(place.image);
    if (!isThere && sizeBytes === undefined)
      throw new EngineFault('unavailable', `The volume ${volume.volume} is not on the host.`);
    await mkdir(root, { recursive: true, mode: 0o700 });
    await mkdir(place.mount, { recursive: true, mode: 0o700 });
    if (!isThere) await makeImage(place, sizeBytes!);
    await ensureMounted(place, isThere);
    if (!(await exists(place.data))) await makeDirectory(place.data);
    if (sizeBytes === undefined) return;
    const known = await readSize(place);
    if (known >= sizeBytes) return;
    if (isThere) await grow(place, sizeBytes, release);
    await writeDurably(place.size, String(sizeBytes));
  }

  return {
    dataOf: (volume) => placeOf(volume).data,
    has: (volume) => exists(placeOf(volume).image),
    ensure: (volume, sizeBytes, release) =>
      inTurn(placeOf(volume).folder, () => inWords(volume, () => ensure(volume, sizeBytes, release))),
    async ensureNested(volume, slug) {
      const path = nestedDirectory(placeOf(volume), slug);
      if (!(await exists(path))) await inWords(volume, () => makeDirectory(path));
      return path;
    },
    async sizeOf(volume) {
      const place = placeOf(volume);
      return (await exists(place.image)) ? await readSize(place) : 0;
    },
    async usageOf(volume) {
      const { mount } = placeOf(volume);
      if (!(await readMounts()).has(mount)) return undefined;
      const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(mount);
      return {
        usedBytes: (blocks - bfree) * bsize,
        freeBytes: bavail * bsize,
        usedFiles: files - ffree,
        freeFiles: ffree,
      };
    },
    remove: (volume) => inTurn(placeOf(volume).folder, () => removeAll(placeOf(volume))),
    async list(only) {
      const deployments = only === undefined ? await directoriesIn(root) : [only];
      const found = deployments.map(async (deploymentId) =>
        (await directoriesIn(`${root}/${deploymentId}`)).map((volume) => ({ deploymentId, volume })),
      );
      return (await Promise.all(found)).flat();
    },
  };
}

/** Formatted under another name first: what has the image's name is a whole file system. */
async function makeImage({ image, draft }: LoopPlace, sizeBytes: number): Promise<void> {
  const { imageBytes, bytesPerInode, journalMebibytes } = shapeOf(sizeBytes);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.truncate(imageBytes);
    // The image is all holes, so nothing has to be zeroed. A file system that cannot write stops instead of going wrong.
    // Tables for a file system sixteen times as large; by default they are for a thousand times, and take 0.4 % of it.
    const blocks = Math.floor(imageBytes / 4096);
    const options = `lazy_itable_init=1,lazy_journal_init=1,nodiscard,resize=${Math.min(blocks * 16, 2 ** 32 - 1)}`;
    await runProgram([
      ...(['mkfs.ext4', '-q', '-F', '-b', '4096', '-I', '256', '-i', String(bytesPerInode), '-m', '0'] as const),
      ...['-J', `size=${journalMebibytes}`, '-e', 'remount-ro', '-E', options, draft],
    ]);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, image);
}

/**
 * `discard` gives the host back what is deleted in the volume. `noinit_itable`: zeroing the inode tables in the
 * background would fill a sixty-fourth of the holes with zeros.
 */
async function ensureMounted({ image, mount }: LoopPlace, mayBeDirty: boolean): Promise<void> {
  if ((await readMounts()).has(mount)) return;
  if (mayBeDirty) await repair(image);
  await runProgram(['mount', '-t', 'ext4', '-o', 'loop,nosuid,nodev,discard,noinit_itable', image, mount]);
}

/** After a power cut: the journal is replayed, and what can be mended without asking is. 1: it was mended. */
async function repair(image: string, ...flags: string[]): Promise<void> {
  if (await isAttached(image)) return; // A container may still have it, although somebody has unmounted it here.
  await runProgram(['e2fsck', '-p', ...flags, image]).catch((error) => {
    if (!(error instanceof ProgramError) || error.code !== 1) throw error;
  });
}

/** The file first, then the loop device, then the file system. Each step may have been done before. */
async function grow(place: LoopPlace, sizeBytes: number, release: () => Promise<void>): Promise<void> {
  const { image, mount } = place;
  const [{ size }, { files }] = await Promise.all([stat(image), statfs(mount)]);
  const { imageBytes } = shapeOf(sizeBytes, inodesPer(size, files));
  if (size < imageBytes) await truncate(image, imageBytes);
  const device = (await readMounts()).get(mount);
  if (!device) throw new Error('the volume is not mounted');
  try {
    await runProgram(['losetup', '--set-capacity', device]);
    await runProgram(['resize2fs', device]);
  } catch (error) {
    // It takes CAP_SYS_RESOURCE, which hosts that are guests themselves may lack.
    if (!/permission denied/i.test(String(error))) throw error;
    await release();
    await growUnmounted(place);
  }
}

async function growUnmounted(place: LoopPlace): Promise<void> {
  await runProgram(['umount', place.mount]);
  if (await isAttached(place.image)) throw new Error('the volume is still in use');
  await repair(place.image, '-f');
  await runProgram(['resize2fs', place.image]);
  await ensureMounted(place, false);
}

/** Whether a loop device has it. */
async function isAttached(image: string): Promise<boolean> {
  return (await runProgram(['losetup', '--associated', image])).trim() !== '';
}

async function nobody(): Promise<void> {}

/** What the container of a removed workload still holds keeps the file system alive, but no longer its name. */
async function removeAll(place: LoopPlace): Promise<void> {
  for (const flags of [[], ['--lazy']]) {
    if (!(await readMounts()).has(place.mount)) break;
    await runProgram(['umount', ...flags, place.mount]).catch((error) => {
      if (flags.length > 0) throw error;
    });
  }
  // Never recursive: should something be mounted here in spite of all, its content stays.
  for (const file of [place.image, place.draft, place.size, `${place.size}.new`]) await rm(file, { force: true });
  for (const folder of [place.mount, place.folder, dirname(place.folder)]) {
    await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return;
      if (error.code !== 'ENOTEMPTY' || folder !== dirname(place.folder)) throw error;
    });
  }
}

/** The programs' own words name paths of the host: they stay in the cause. */
async function inWords<T>({ volume }: LoopVolume, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineFault) throw error;
    const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC' || /no space left/i.test(String(error));
    const because = isFull ? 'out of disk, the host has no space left for it' : 'the host could not do it now';
    const hint = isFull ? { hint: outOfDiskHint } : {};
    throw new EngineFault('unavailable', `The volume ${volume} cannot be made: ${because}.`, { cause: error, ...hint });
  }
}

async function readSize({ size }: LoopPlace): Promise<number> {
  const text = await readFile(size, 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Math.max(Number(text), leastVolumeBytes) : 0;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}

async function directoriesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
