/** How much room there is on the disk of a folder. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** In bytes, for users other than root. The folder may not exist yet. */
export async function freeBytesAt(folder: string): Promise<number> {
  const found = await statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || folder === dirname(folder)) throw error;
  });
  return found ? found.bavail * found.bsize : await freeBytesAt(dirname(folder));
}
