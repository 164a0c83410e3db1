/** Reads small files to detect the kind of a folder. */
import { join } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';

const maxBytes = 1024 * 1024;

/** Undefined if it does not exist, is not a file or is too large. `name`: relative to the folder. */
export function readText(files: FolderFiles, name: string): string | undefined {
  const path = join(files.folder, name);
  return files.look(path).kind === 'file' ? files.read(path, maxBytes)?.toString('utf8') : undefined;
}

export function isThere(files: FolderFiles, name: string): boolean {
  return files.look(join(files.folder, name)).kind === 'file';
}

/** The first of these that is there. */
export function firstThere(files: FolderFiles, names: readonly string[]): string | undefined {
  return names.find((name) => isThere(files, name));
}

/** A number that can be a port. */
export function portIn(text: string | undefined, pattern: RegExp): number | undefined {
  const port = Number(pattern.exec(text ?? '')?.[1]);
  return port > 0 && port < 65_536 ? port : undefined;
}

/** The text of the first of these files that is there. */
export function firstText(files: FolderFiles, names: readonly string[]): string | undefined {
  const name = firstThere(files, names);
  return name === undefined ? undefined : readText(files, name);
}
