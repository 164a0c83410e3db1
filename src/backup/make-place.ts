/**
 * Making a place, and removing it. One whose making was cut off, or that two have begun, has keys that do not open it, and nothing mends
 * that: so a folder gets its name when it is whole.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newId } from '../lib/ids.ts';
import type { BackupPlace } from './backup-place.ts';

/** Older drafts were left by a killed process. */
const draftMs = 60 * 60_000;

/** `make`: begins one at a location. A folder that is there already, such as the root of a disk, is filled as it is. */
export async function makePlace(
  { kind, location }: BackupPlace,
  make: (location: string) => Promise<unknown>,
): Promise<void> {
  if (kind !== 'folder' || existsSync(location)) {
    await make(location);
    return;
  }
  const parent = dirname(location);
  await mkdir(parent, { recursive: true });
  const beginning = `${basename(location)}.making-`;
  await clearDrafts(parent, beginning);
  const draft = join(parent, `${beginning}${newId()}`);
  await make(draft);
  await rename(draft, location).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true });
    // Another process was faster: the next call finds its place.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

/** Removes a folder completely. It is renamed first, so that a half-removed folder does not count as a place. */
export async function removePlace({ location }: Pick<BackupPlace, 'location'>): Promise<void> {
  const leaving = `${location}.leaving`;
  await rm(leaving, { recursive: true, force: true });
  await rename(location, leaving).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(leaving, { recursive: true, force: true });
}

async function clearDrafts(parent: string, beginning: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(beginning)) continue;
    const { mtimeMs } = await stat(join(parent, name)).catch(() => ({ mtimeMs: Number.NaN }));
    if (Date.now() - mtimeMs > draftMs) await rm(join(parent, name), { recursive: true, force: true });
  }
}
