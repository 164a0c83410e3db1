/**
 * Distinguishes a session file written by this user's CLI from one that came with a repository. The latter could choose
 * the service and session that receive the user's sources.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownFolder } from './own-folder.ts';

/** A signature that only this user can make. */
export type Seal = (text: string) => string;

const keyBytes = 32;

/** Undefined if no key can be stored, as in a container without a home. Then no session counts as the user's own. */
export async function openSeal(env: Record<string, string | undefined>): Promise<Seal | undefined> {
  const file = join(ownFolder(env), 'memory.key');
  const key = (await readKey(file)) ?? (await makeKey(file));
  return key && ((text) => createHmac('sha256', key).update(text).digest('hex'));
}

export function isSealed(seal: Seal | undefined, text: string, shown: unknown): boolean {
  if (seal === undefined || typeof shown !== 'string') return false;
  const [own, given] = [Buffer.from(seal(text)), Buffer.from(shown)];
  return own.length === given.length && timingSafeEqual(own, given);
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const key = await readFile(file).catch(() => undefined);
  return key?.length === keyBytes ? key : undefined;
}

/** Writes the key atomically. If two commands create one at the same time, both use the first one's. */
async function makeKey(file: string): Promise<Buffer | undefined> {
  const made = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(made, randomBytes(keyBytes), { mode: 0o600, flag: 'wx' });
    await link(made, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return await readKey(file);
  } catch {
    return undefined;
  } finally {
    await rm(made, { force: true }).catch(() => {});
  }
}
