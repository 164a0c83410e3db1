/** A small disk of a test's own, which may be full. Needs root. */
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A disk of a few megabytes. */
export async function smallDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-small-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    async fill() {
      await using file = await open(filler, 'a');
      for (const bytes of [2 ** 20, 2 ** 12])
        for (;;) {
          const { bavail, bsize } = await statfs(folder);
          if (bavail * bsize < bytes) break;
          await file.write(Buffer.alloc(bytes, 1)).catch(() => {});
        }
    },
    makeRoom: async () => await rm(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      await run('umount', ['-l', folder]);
      await rmdir(folder);
    },
  };
}
