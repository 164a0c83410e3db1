/**
 * Removing large files so that the disk stays free for others. Where the host's file system gives back to the disk what is
 * deleted (mount option `discard`), it does so of a whole file at once, and whoever syncs meanwhile waits for that
 * (measured: 1 GB held synced writes up for 20 to 34 ms each, for a fifth of a second).
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { wait } from '../../../lib/wait.ts';

/** Given back in about a millisecond. */
const stepBytes = 8 * 2 ** 20;
/** Of files that are longer, which are mostly holes, the steps are. */
const mostSteps = 4096;
/** At the least, so that what is given back has left the way free before more comes. */
const restMs = 4;

/** Cut off at any instant, it has removed a part from the end of the file. Does nothing where there is none. */
export async function removeGently(path: string): Promise<void> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return;
  try {
    await shrink(file);
  } finally {
    await file.close();
  }
  await rm(path, { force: true });
}

async function shrink(file: FileHandle): Promise<void> {
  let { size, blocks: blocksBefore } = await file.stat();
  const step = Math.max(stepBytes, Math.ceil(size / mostSteps));
  while (size > step && blocksBefore * 512 > stepBytes) {
    size -= step;
    await file.truncate(size);
    const { blocks } = await file.stat();
    // Holes take nothing of the disk.
    if ((blocksBefore - blocks) * 512 < stepBytes / 2) continue;
    blocksBefore = blocks;
    const begunAt = performance.now();
    // Without it all of them would be given back together.
    await file.datasync();
    await wait(Math.max(restMs, performance.now() - begunAt));
  }
}
