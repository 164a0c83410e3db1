/**
 * Restricts reading to the files of a project: a cloned repository may name any path, in its documents and by symbolic
 * links. Paths outside of the folder can only be read if the options allow it.
 */
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export type Entry =
  | { kind: 'file'; size: number; isExecutable: boolean }
  | { kind: 'folder' }
  | { kind: 'missing' }
  /** The file must not be read, whether it exists or not. `to`: the target of a symbolic link. */
  | { kind: 'outside'; to?: string }
  /** A socket, pipe or device. */
  | { kind: 'special' };

export type FolderFiles = {
  /** Absolute, links resolved. */
  folder: string;
  /** Describes the entry at an absolute path, following links. */
  look(path: string): Entry;
  /** Reads a file that `look` has found. Undefined if it is larger than `max` bytes or cannot be read. */
  read(path: string, max: number): Buffer | undefined;
  /** The names in a folder, sorted, at most `max`; links are marked. */
  list(path: string, max: number): { name: string; isLink: boolean }[];
};

/**
 * The command's own data in a project folder, with its tokens. It is not part of the project and must not be published.
 */
const memory = '.berth';

/** @throws when the folder does not exist. */
export function openFiles(folder: string, allowed: readonly string[] = []): FolderFiles {
  const root = realpathSync(folder);
  const roots = [root, ...allowed.flatMap((path) => resolved(path) ?? [])];
  const isInside = (path: string) =>
    roots.some((one) => path === one || path.startsWith(one === sep ? sep : `${one}${sep}`));
  const isMemory = (path: string) =>
    roots.some((one) => path.startsWith(one) && path.slice(one.length).split(sep).includes(memory));
  const isAllowed = (path: string) => {
    const real = resolved(path);
    return real !== undefined && isInside(real) && !isMemory(real);
  };
  return {
    folder: root,
    look(path) {
      // No file has a NUL in its name; a path with a mark in it has.
      if (path.includes('\0')) return { kind: 'missing' };
      const real = resolved(path);
      if (real === undefined) return isInside(nearestReal(path)) ? { kind: 'missing' } : { kind: 'outside' };
      if (isMemory(real)) return { kind: 'missing' };
      if (!isInside(real)) return { kind: 'outside', ...(real !== path && { to: real }) };
      const found = statSync(real);
      if (found.isDirectory()) return { kind: 'folder' };
      if (!found.isFile()) return { kind: 'special' };
      return { kind: 'file', size: found.size, isExecutable: (found.mode & 0o100) !== 0 };
    },
    read(path, max) {
      if (!isAllowed(path)) return undefined;
      try {
        accessSync(path, constants.R_OK);
        return readAtMost(path, max);
      } catch {
        return undefined;
      }
    },
    list(path, max) {
      if (!isAllowed(path)) return [];
      const entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => name !== memory);
      return entries
        .slice(0, max)
        .map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

/** Returns the path in the user's notation: relative to the folder, with `/`. */
export function shownPath({ folder }: Pick<FolderFiles, 'folder'>, path: string): string {
  const shown = relative(folder, path);
  return shown === '' ? '.' : shown.startsWith(`..${sep}..`) ? path : shown.split(sep).join('/');
}

function resolved(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the location of a missing path: its nearest existing folder, with the rest. */
function nearestReal(path: string): string {
  const parent = dirname(path);
  if (parent === path) return path;
  const real = resolved(parent);
  // A dangling link has an unknown target.
  if (real !== undefined) return isLink(path) ? sep : join(real, path.slice(parent.length));
  return join(nearestReal(parent), path.slice(parent.length));
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // The file is missing, or its parent is not a folder.
    return false;
  }
}

function readAtMost(path: string, max: number): Buffer | undefined {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(max, statSync(path).size) + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, undefined as never);
      if (count === 0) return buffer.subarray(0, length);
      length += count;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
