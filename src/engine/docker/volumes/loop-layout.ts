/** PURE. The location and the size of a volume with its own file system on the host. */
import { join } from 'node:path';
import { buildVolume } from '../../../deployment/build/build.ts';
import { minVolumeBytes } from '../../../deployment/disk/disk-levels.ts';

/** The paths of one volume. All of them are below one folder, so that leftovers can be found there. */
export type LoopPlace = {
  folder: string;
  /** The sparse file with the file system. It only takes the space of its content. */
  image: string;
  /** An image that is being made. */
  draft: string;
  /** Where the file system is mounted. */
  mount: string;
  /**
   * The directory that the container gets: one in the file system instead of the file system itself. Volumes start
   * empty, and `lost+found` stays outside. Without the mount, this directory does not exist: after a reboot, the engine
   * refuses to start the container, instead of giving a database an empty directory.
   */
  data: string;
  /** Contains the requested size in bytes. Written last, so a volume without it is incomplete. */
  size: string;
  /** The options of `mount`. */
  options: string;
};

/**
 * `discard` returns the space of deleted files to the host. `noinit_itable`: initializing the inode tables in the
 * background would write zeros to a sixty-fourth of the sparse file.
 */
const everywhere = 'loop,discard,noinit_itable';

/**
 * In the user namespace of a build, these flags are locked, and buildah 1.28 cannot mount a secret read-only
 * (measured). A container cannot create devices, and only root can access the files of a volume on the host.
 */
const exceptInBuilds = 'nosuid,nodev';

/** The folder of all volumes of an installation. */
export function volumesFolder(dataDir: string): string {
  return join(dataDir, 'volumes');
}

/** A name that is a single path segment. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,200}$/;

/** Throws for names that cannot be names of volumes. */
export function loopPlace(root: string, deploymentId: string, volume: string): LoopPlace {
  if (!plainName.test(deploymentId) || !plainName.test(volume))
    throw new Error(`not the name of a volume: ${JSON.stringify(`${deploymentId}/${volume}`)}`);
  const folder = join(root, deploymentId, volume);
  const mount = join(folder, 'mount');
  return {
    folder,
    image: join(folder, 'image'),
    draft: join(folder, 'image.draft'),
    mount,
    data: join(mount, 'data'),
    size: join(folder, 'size'),
    options: volume === buildVolume ? everywhere : `${everywhere},${exceptInBuilds}`,
  };
}

/** Returns the volume that is mounted there, if it belongs to this folder. */
export function mountedVolume(root: string, mountPoint: string): { deploymentId: string; volume: string } | undefined {
  if (!mountPoint.startsWith(`${root}/`)) return undefined;
  const [deploymentId = '', volume = '', last, ...more] = mountPoint.slice(root.length + 1).split('/');
  const isOne = last === 'mount' && more.length === 0 && plainName.test(deploymentId) && plainName.test(volume);
  return isOne ? { deploymentId, volume } : undefined;
}

/** Returns the directory for a volume that an image declares below this one, see `mounts.ts`. */
export function nestedDirectory({ mount }: LoopPlace, slug: string): string {
  return join(mount, `${nestedPrefix}${slug}`);
}

const nestedPrefix = 'below-';

/** The slugs of such directories, from the names of all entries next to the data. */
export function nestedSlugsIn(names: readonly string[]): string[] {
  return names.flatMap((name) => (name.startsWith(nestedPrefix) ? [name.slice(nestedPrefix.length)] : [])).sort();
}

const mebibyte = 2 ** 20;

/** Bytes for each inode. */
const [manyInodes, fewInodes] = [4096, 16_384];

/** Returns which of the two ratios a file system of this size and number of inodes was created with. */
export function inodesPer(imageBytes: number, inodes: number): number {
  return imageBytes / inodes < (manyInodes + fewInodes) / 2 ? manyInodes : fewInodes;
}

export type FileSystemShape = { imageBytes: number; bytesPerInode: number; journalMebibytes: number };

/**
 * Returns the shape of a file system with at least `sizeBytes` for files, plus the overhead of ext4. Small volumes get
 * more inodes per size, as with mkfs. A volume keeps its inode ratio when it grows.
 */
export function shapeOf(wantedBytes: number, madeWithInodesPer?: number): FileSystemShape {
  const sizeBytes = Math.max(wantedBytes, minVolumeBytes);
  const bytesPerInode = madeWithInodesPer ?? (sizeBytes < 512 * mebibyte ? manyInodes : fewInodes);
  const journalMebibytes = sizeBytes < 128 * mebibyte ? 4 : sizeBytes < 1024 * mebibyte ? 16 : 64;
  const inodeShare = 256 / bytesPerInode;
  // The kernel reserves 2 % for metadata, at most 16 MiB.
  const reserved = Math.min(sizeBytes * 0.022, 16 * mebibyte) + (journalMebibytes + 0.5) * mebibyte;
  const imageBytes = Math.ceil((sizeBytes + reserved) / (1 - inodeShare - 0.001) / mebibyte) * mebibyte;
  return { imageBytes, bytesPerInode, journalMebibytes };
}
