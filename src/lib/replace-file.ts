/** Files that are replaced: whoever reads one finds all of what was before, or all of what is now. For their owner alone. */
import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';

/** One that nobody else writes: a kill leaves a draft at most, for the next time. `flush`: also when the machine dies. */
export async function replaceFile(path: string, text: string, { flush = false } = {}): Promise<void> {
  await replaceBy(`${path}.new`, path, text, { flag: 'w', flush });
}

/** One that several processes may write at once, in a folder in which others may have put links. */
export async function replaceSharedFile(path: string, text: string): Promise<void> {
  await replaceBy(`${path}.${randomBytes(6).toString('hex')}`, path, text, { flag: 'wx' });
}

type Writing = { flag: 'w' | 'wx'; flush?: boolean };

async function replaceBy(draft: string, path: string, text: string, writing: Writing): Promise<void> {
  await writeFile(draft, text, { mode: 0o600, ...writing });
  await rename(draft, path);
}
