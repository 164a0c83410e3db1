/** One command at a time reads and writes what a folder remembers. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceSharedFile } from '../lib/replace-file.ts';
import { wait } from '../lib/wait.ts';
import { prepareMemoryFolder, readRemembered } from './folder.ts';

const name = 'turn.lock';

/** A turn takes milliseconds, so one that lasts this long belongs to a killed process. */
const longestTurnMs = 10_000;
const lookAgainMs = 20;

/** By then each of several that have replaced the same dead one's sees whose the lock has become. */
const settleMs = 100;

/** Throws FolderError for a link, and what `work` throws. */
export async function inTurn<T>(folder: string, work: () => Promise<T>, patienceMs = longestTurnMs): Promise<T> {
  const file = join(await prepareMemoryFolder(folder), name);
  const own = randomBytes(8).toString('hex');
  const holder = () => readRemembered(folder, name);
  let seen: string | undefined;
  let since = performance.now();
  while (!(await create(file, own))) {
    const present = await holder();
    if (present !== seen) {
      seen = present;
      since = performance.now();
    } else if (present !== undefined && performance.now() - since >= patienceMs) {
      await replaceSharedFile(file, own);
      await wait(settleMs);
      if ((await holder()) === own) break;
    }
    await wait(lookAgainMs);
  }
  try {
    return await work();
  } finally {
    if ((await holder()) === own) await rm(file, { force: true });
  }
}

/** Whether it was not there. */
async function create(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
