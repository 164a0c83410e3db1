/** The folder in which a backup or a restore is put together; file systems may be mounted below it. */
import { mkdir, rm } from 'node:fs/promises';
import { readMounts } from '../../engine/docker/volumes/mount-table.ts';
import { runProgram } from '../../engine/docker/volumes/volume-programs.ts';

/** Empty, whatever a call that was killed has left there. */
export async function makeDraft(folder: string): Promise<void> {
  await clearDraft(folder);
  await mkdir(folder, { mode: 0o700 });
}

/** What is mounted there is never removed with it: it is unmounted, or it stays and this throws. */
export async function clearDraft(folder: string): Promise<void> {
  const mounted = [...(await readMounts().catch(() => new Map()))].map(([mount]) => mount as string);
  const below = mounted.filter((mount) => mount.startsWith(`${folder}/`));
  for (const mount of below.toReversed()) await runProgram(['umount', mount]);
  await rm(folder, { recursive: true, force: true });
}
