/** Files and folders that may be missing. */
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Undefined if the file is missing. */
export async function ifThere<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  return (await ifThere(stat(path))) !== undefined;
}

/** The names of the folders in a folder; none if it is missing. */
export async function foldersIn(path: string): Promise<string[]> {
  const entries = (await ifThere(readdir(path, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Calls `look` with the folder, or with its nearest existing parent. */
export async function atNearest<T>(folder: string, look: (folder: string) => Promise<T>): Promise<T> {
  const found = folder === dirname(folder) ? await look(folder) : await ifThere(look(folder));
  return found ?? (await atNearest(dirname(folder), look));
}
