/**
 * A user's API keys, one per service, in a file that only the user can read. A key is only sent to its own service,
 * even if a folder names another one.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceSharedFile } from '../lib/replace-file.ts';
import { ownFolder } from './own-folder.ts';
import { FolderError } from './saved-session.ts';

type Env = Record<string, string | undefined>;

/** The API keys by the origin of their service. */
export type Keys = Readonly<Record<string, string>>;

export function keysFile(env: Env): string {
  return join(ownFolder(env), 'keys.json');
}

/** @throws FolderError for a file that cannot be read. */
export async function readKeys(env: Env): Promise<Keys> {
  const file = keysFile(env);
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    const entries = Object.entries(value as object).filter(([, key]) => typeof key === 'string');
    return Object.fromEntries(entries);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {};
    throw new FolderError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Without a `key`, removes the key of the service. */
export async function saveKey(env: Env, server: string, key: string | undefined): Promise<void> {
  const file = keysFile(env);
  const { [server]: _, ...others } = await readKeys(env);
  const keys = key === undefined ? others : { ...others, [server]: key };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceSharedFile(file, `${JSON.stringify(keys, undefined, 2)}\n`);
}
