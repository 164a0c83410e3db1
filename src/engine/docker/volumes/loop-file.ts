/**
 * The file of a volume with a hard limit: creates, mounts, grows, repairs and removes it. Every step may be repeated,
 * and may be interrupted at any time.
 */
import { open, rename, rm, rmdir, stat, statfs, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ProgramError, runProgram } from '../../../lib/run-program.ts';
import { wait } from '../../../lib/wait.ts';
import { inodesPer, type LoopPlace, shapeOf } from './loop-layout.ts';
import { readMounts } from './mount-table.ts';

/**
 * How long a volume may stay in use after it was unmounted: by a container that was just stopped, or by one that is
 * starting and still has a copy of the mount table (more than 5 s at a load of 20, observed).
 */
const patienceMs = 30_000;

/** Formatted under a temporary name, so that the image's final name always means a complete file system. */
export async function makeImage({ image, draft }: LoopPlace, sizeBytes: number): Promise<void> {
  const { imageBytes, bytesPerInode, journalMebibytes } = shapeOf(sizeBytes);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.truncate(imageBytes);
    // The image is sparse, so zeroing is not necessary. A file system with write errors becomes read-only. The tables
    // allow growth to sixteen times the size. The default allows a thousand times and takes 0.4 % of the size.
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

export async function ensureMounted({ image, mount, options }: LoopPlace, mayBeDirty: boolean): Promise<void> {
  if ((await readMounts()).has(mount)) return;
  if (mayBeDirty) await repair(image);
  await runProgram(['mount', '-t', 'ext4', '-o', options, image, mount]);
}

/** After a power failure, replays the journal and fixes what is safe to fix. Exit code 1: fixed. */
async function repair(image: string, ...flags: string[]): Promise<void> {
  if (await isAttached(image)) return; // A container may still use it, although it was unmounted here.
  await runProgram(['e2fsck', '-p', ...flags, image]).catch((error) => {
    if (!(error instanceof ProgramError) || error.code !== 1) throw error;
  });
}

/** Grows the file first, then the loop device, then the file system. Each step may be repeated. */
export async function grow(place: LoopPlace, sizeBytes: number, release: () => Promise<void>): Promise<void> {
  const { image, mount } = place;
  const [{ size }, { files }] = await Promise.all([stat(image), statfs(mount)]);
  const { imageBytes } = shapeOf(sizeBytes, inodesPer(size, files));
  if (size < imageBytes) await truncate(image, imageBytes);
  const device = (await readMounts()).get(mount)?.device;
  if (!device) throw new Error('the volume is not mounted');
  try {
    await runProgram(['losetup', '--set-capacity', device]);
    await runProgram(['resize2fs', device]);
  } catch (error) {
    // This requires CAP_SYS_RESOURCE, which hosts in containers may lack.
    if (!/permission denied/i.test(String(error))) throw error;
    await release();
    await growUnmounted(place);
  }
}

async function growUnmounted(place: LoopPlace): Promise<void> {
  await unmount(place);
  await repair(place.image, '-f');
  await runProgram(['resize2fs', place.image]);
  await ensureMounted(place, false);
}

/** Checks the file system of an unused volume and mounts it again. */
export async function repairFileSystem(place: LoopPlace): Promise<void> {
  await unmount(place);
  await ensureMounted(place, true);
}

/** Unmounts the volume. Throws while it is in use. */
export async function unmount({ mount, image }: LoopPlace): Promise<void> {
  await runProgram(['umount', mount]);
  // The kernel releases the device some milliseconds after its last mount is removed.
  for (let waitedMs = 0; await isAttached(image); waitedMs += 50) {
    if (waitedMs >= patienceMs) throw new Error('the volume is still in use');
    await wait(50);
  }
}

/** Returns whether a loop device uses the file. */
async function isAttached(image: string): Promise<boolean> {
  return (await runProgram(['losetup', '--associated', image])).trim() !== '';
}

/** Files that a removed container still has open keep the file system alive, but not its name. */
export async function removeAll(place: LoopPlace): Promise<void> {
  for (const flags of [[], ['--lazy']]) {
    if (!(await readMounts()).has(place.mount)) break;
    await runProgram(['umount', ...flags, place.mount]).catch((error) => {
      if (flags.length > 0) throw error;
    });
  }
  // Never recursive: if something is still mounted here, its content stays.
  for (const file of [place.image, place.draft, place.size, `${place.size}.new`]) await rm(file, { force: true });
  for (const folder of [place.mount, place.folder, dirname(place.folder)]) {
    await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return;
      if (error.code !== 'ENOTEMPTY' || folder !== dirname(place.folder)) throw error;
    });
  }
}
