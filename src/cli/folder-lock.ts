/** Lets one command at a time read and write the saved session of a folder. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceSharedFile } from '../lib/replace-file.ts';
import { wait } from '../lib/wait.ts';
import { prepareBerthFolder, readFolderFile } from './saved-session.ts';

const name = 'turn.lock';

/** A command holds the lock for milliseconds, so a lock of this age belongs to a killed process. */
const maxLockMs = 10_000;
const retryMs = 20;

/** If several processes replace a dead process's lock, each of them sees after this time which one holds it. */
const settleMs = 100;

/** @throws FolderError for a link, and any error of `work`. */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>, patienceMs = maxLockMs): Promise<T> {
  const file = join(await prepareBerthFolder(folder), name);
  const own = randomBytes(8).toString('hex');
  const holder = () => readFolderFile(folder, name);
  let lastHolder: string | undefined;
  let since = performance.now();
  while (!(await create(file, own))) {
    const present = await holder();
    if (present !== lastHolder) {
      lastHolder = present;
      since = performance.now();
    } else if (present !== undefined && performance.now() - since >= patienceMs) {
      await replaceSharedFile(file, own);
      await wait(settleMs);
      if ((await holder()) === own) break;
    }
    await wait(retryMs);
  }
  try {
    return await work();
  } finally {
    if ((await holder()) === own) await rm(file, { force: true });
  }
}

/** Returns false if the file exists. */
async function create(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
