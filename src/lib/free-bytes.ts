/** How much room there is on the disk of a folder. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** In bytes, for whoever is not root. The folder may not be there yet. */
export async function freeBytesAt(folder: string): Promise<number> {
  const found = await statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || folder === dirname(folder)) throw error;
  });
  return found ? found.bavail * found.bsize : await freeBytesAt(dirname(folder));
}
