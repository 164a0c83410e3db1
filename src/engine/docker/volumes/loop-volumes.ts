/**
 * Volumes with a hard limit: each is a file system in its own sparse file, mounted through a loop device (about 25 ms
 * and 0.7 MB; measured). The engine binds a directory of it. Every step checks the existing state: after a reboot, a
 * crash or a kill at any time, `ensure` leaves the volume complete and mounted, and `remove` leaves nothing. Loop
 * devices are created with the mount and removed with the last one (`mount -o loop`), so none is left behind.
 */
import { chown, mkdir, readFile, rename, statfs } from 'node:fs/promises';
import { minVolumeBytes } from '../../../deployment/disk/disk-levels.ts';
import { serializeByKey } from '../../../lib/concurrency.ts';
import { fulfilledResults } from '../../../lib/fulfilled-results.ts';
import { exists, foldersIn, ifThere } from '../../../lib/missing-files.ts';
import { replaceFile, sync } from '../../../lib/replace-file.ts';
import { EngineFault } from '../../engine.ts';
import { isDiskFull, outOfDiskHint } from '../faults.ts';
import { ensureMounted, grow, makeImage, removeAll, repairFileSystem, unmount } from './loop-file.ts';
import { type LoopPlace, loopPlace, mountedVolume, nestedDirectory } from './loop-layout.ts';
import { readMounts } from './mount-table.ts';

export type LoopVolume = { deploymentId: string; volume: string };

export type LoopVolumes = {
  /** The directory to bind a container's volume to. */
  dataOf(volume: LoopVolume): string;
  has(volume: LoopVolume): Promise<boolean>;
  /**
   * Mounts the volume and, with a size, grows it to at least that size. Keeps its content. It never shrinks. `release`
   * stops its users, on hosts that cannot grow a mounted file system, and is called at most once. Throws EngineFault if
   * the host cannot do that now, or, without a size, if the volume does not exist.
   */
  ensure(volume: LoopVolume, sizeBytes?: number, release?: () => Promise<void>): Promise<void>;
  /** Makes a directory next to the data, for a volume that an image declares below it. Returns its path. */
  ensureNested(volume: LoopVolume, slug: string): Promise<string>;
  /** The last requested size; 0 while the volume is incomplete. */
  sizeOf(volume: LoopVolume): Promise<number>;
  /**
   * The usage of each mounted volume, and its free space. The mount table is read once for all of them. An unreadable
   * volume is left out; throws if all are unreadable.
   */
  usages(): Promise<(LoopVolume & LoopUsage)[]>;
  /** Lists volumes whose file system the kernel has stopped writing to, because the host could not store the data. */
  listStopped(): Promise<LoopVolume[]>;
  /**
   * Checks a stopped volume and mounts it again, once `release` has stopped its users. Throws EngineFault as `ensure`
   * does.
   */
  mend(volume: LoopVolume, release: () => Promise<void>): Promise<void>;
  /**
   * Replaces an unused volume with a complete, unmounted one by a single rename. If only the size file exists, that was
   * already done. Throws EngineFault while the volume is in use, or if the replacement is missing.
   */
  replace(volume: LoopVolume, by: LoopPlace): Promise<void>;
  /** The volume may already be gone. */
  remove(volume: LoopVolume): Promise<void>;
  /** Returns all volumes with any file, optionally of one deployment. */
  list(deploymentId?: string): Promise<LoopVolume[]>;
};

export type LoopUsage = {
  /** The kernel has stopped writing to it. */
  isStopped: boolean;
  usedBytes: number;
  freeBytes: number;
  usedFiles: number;
  freeFiles: number;
};

export type UserIds = { uid: number; gid: number };

/** `root`: a folder of this installation alone. `ownerOfData`: root in the engine's containers; default: the machine's root. */
export function createLoopVolumes(
  root: string,
  ownerOfData: () => Promise<UserIds> = async () => ({ uid: 0, gid: 0 }),
): LoopVolumes {
  const inTurn = serializeByKey();
  const placeOf = ({ deploymentId, volume }: LoopVolume) => loopPlace(root, deploymentId, volume);

  async function makeDirectory(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const { uid, gid } = await ownerOfData();
    await chown(path, uid, gid);
  }

  async function ensure(volume: LoopVolume, sizeBytes?: number, release = noRelease): Promise<void> {
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
    await replaceFile(place.size, String(sizeBytes), { flush: true });
  }

  async function replace(volume: LoopVolume, by: LoopPlace): Promise<void> {
    const place = placeOf(volume);
    if (await exists(by.image)) {
      if ((await readMounts()).has(place.mount)) await unmount(place);
      await mkdir(place.mount, { recursive: true, mode: 0o700 });
      // Written before the rename: a recorded size that is too small is corrected when the volume grows, but one that
      // is too large never is.
      await replaceFile(place.size, String(await readSize(by)), { flush: true });
      await rename(by.image, place.image);
      await sync(place.folder);
    } else if (!(await exists(by.size)))
      throw new EngineFault('unavailable', `The replacement of the volume ${volume.volume} is missing.`);
    await ensure(volume);
  }

  async function list(only?: string): Promise<LoopVolume[]> {
    const deployments = only === undefined ? await foldersIn(root) : [only];
    const found = deployments.map(async (deploymentId) =>
      (await foldersIn(`${root}/${deploymentId}`)).map((volume) => ({ deploymentId, volume })),
    );
    return (await Promise.all(found)).flat();
  }

  /** The mounted volumes, from the mount table only. */
  async function listMounted(): Promise<(LoopVolume & { isStopped: boolean })[]> {
    return [...(await readMounts())].flatMap(([mountPoint, { isStopped }]) => {
      const volume = mountedVolume(root, mountPoint);
      return volume ? [{ ...volume, isStopped }] : [];
    });
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
    async usages() {
      const requested = (await listMounted()).map(async ({ isStopped, ...volume }) => {
        const usage = await usageOf(placeOf(volume).mount);
        return usage ? [{ ...volume, isStopped, ...usage }] : [];
      });
      return (await fulfilledResults(requested)).flat();
    },
    async listStopped() {
      const mounted = await listMounted();
      return mounted.filter(({ isStopped }) => isStopped).map(({ isStopped: _, ...volume }) => volume);
    },
    mend: (volume, release) =>
      inTurn(placeOf(volume).folder, () =>
        inWords(volume, async () => {
          await release();
          await repairFileSystem(placeOf(volume));
          // The directory of a new volume may not have been on the disk yet.
          await ensure(volume);
        }),
      ),
    replace: (volume, by) => inTurn(placeOf(volume).folder, () => inWords(volume, () => replace(volume, by))),
    remove: (volume) => inTurn(placeOf(volume).folder, () => removeAll(placeOf(volume))),
    list,
  };
}

async function noRelease(): Promise<void> {}

/** Undefined when it has been removed just now. */
async function usageOf(mount: string): Promise<Omit<LoopUsage, 'isStopped'> | undefined> {
  const found = await ifThere(statfs(mount));
  if (!found) return undefined;
  const { bsize, blocks, bfree, bavail, files, ffree } = found;
  return {
    usedBytes: (blocks - bfree) * bsize,
    freeBytes: bavail * bsize,
    usedFiles: files - ffree,
    freeFiles: ffree,
  };
}

/** The programs' own messages contain host paths, so they are only in the cause. */
async function inWords<T>({ volume }: LoopVolume, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineFault) throw error;
    const isFull = isDiskFull(error);
    const because = isFull ? 'out of disk, the host has no space left for it' : 'the host could not create it now';
    const hint = isFull ? { hint: outOfDiskHint } : {};
    throw new EngineFault('unavailable', `The volume ${volume} cannot be made: ${because}.`, { cause: error, ...hint });
  }
}

async function readSize({ size }: LoopPlace): Promise<number> {
  const text = await readFile(size, 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Math.max(Number(text), minVolumeBytes) : 0;
}
