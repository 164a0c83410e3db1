/**
 * The additional contexts of a build. BuildKit itself reads such a folder completely, so a folder with the command's
 * memory, which contains tokens, is copied without it.
 */
import { cp, lstat, readdir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { ownMemory } from '../layers/folder-listing.ts';

/** By name, as the build gets them; copies go into `scratch`, which the caller removes. */
export async function withoutMemories(
  contexts: Readonly<Record<string, string>>,
  scratch: string,
): Promise<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const [index, [name, place]] of Object.entries(contexts).entries()) {
    // Everything else is an address or an image.
    const isCopied = isAbsolute(place) && (await holdsMemory(place));
    given[name] = isCopied ? join(scratch, `context-${index}`) : place;
    if (isCopied) await cp(place, given[name], { recursive: true, verbatimSymlinks: true, filter: isForBuild });
  }
  return given;
}

async function holdsMemory(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === ownMemory)) return true;
  for (const entry of entries) if (entry.isDirectory() && (await holdsMemory(join(folder, entry.name)))) return true;
  return false;
}

/** A copy has no sockets and pipes. */
async function isForBuild(path: string): Promise<boolean> {
  if (basename(path) === ownMemory) return false;
  const found = await lstat(path);
  return found.isDirectory() || found.isFile() || found.isSymbolicLink();
}
