/** A folder in which something is put together, such as a backup; file systems may be mounted below it. */
import { mkdir, rm } from 'node:fs/promises';
import { runProgram } from '../../../lib/run-program.ts';
import { readMounts } from './mount-table.ts';

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
