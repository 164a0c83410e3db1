/** Replaces files atomically: readers get the complete old or new content. Only the owner can read them. */
import { randomBytes } from 'node:crypto';
import { open, rename, writeFile } from 'node:fs/promises';

/**
 * For a file with a single writer: a kill leaves at most a draft for the next time. `flush`: also survives a crash of
 * the machine.
 */
export async function replaceFile(path: string, text: string, { flush = false } = {}): Promise<void> {
  await replaceBy(`${path}.new`, path, text, { flag: 'w', flush });
}

/** Replaces a file that several processes may write at once, in a folder in which others may have created links. */
export async function replaceSharedFile(path: string, text: string): Promise<void> {
  await replaceBy(`${path}.${randomBytes(6).toString('hex')}`, path, text, { flag: 'wx' });
}

type Writing = { flag: 'w' | 'wx'; flush?: boolean };

async function replaceBy(draft: string, path: string, text: string, writing: Writing): Promise<void> {
  await writeFile(draft, text, { mode: 0o600, ...writing });
  await rename(draft, path);
}

/** Renames files after their content is on the disk. */

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
