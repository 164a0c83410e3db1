/** Files whose content is on the disk before they have their names. */
import { open, rename } from 'node:fs/promises';

export async function moveTo(from: string, to: string): Promise<void> {
  await sync(from);
  await rename(from, to);
}

/** A new name is on the disk when its folder is. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
