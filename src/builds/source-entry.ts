/** PURE. Checks a file of a source, which may be hostile. */
import { posix } from 'node:path';

export type SourceEntry =
  | { kind: 'file'; path: string; isExecutable: boolean }
  | { kind: 'folder'; path: string }
  /** A symbolic link, with its target as written. */
  | { kind: 'link'; path: string; target: string }
  /** A hard link: another name of a file of the archive. */
  | { kind: 'copy'; path: string; from: string };

export type ArchiveHeader = { name: string; type: string; mode: number; target: string };

const most = { pathBytes: 1_024, partBytes: 255, depth: 64 };

/** Undefined for the root folder. @throws SourceError for an entry that no source has. */
export function readEntry({ name, type, mode, target }: ArchiveHeader): SourceEntry | undefined {
  const path = pathOf(name);
  if (path === '.') return undefined;
  switch (type) {
    case 'file':
    case 'contiguous-file':
      return { kind: 'file', path, isExecutable: (mode & 0o111) !== 0 };
    case 'directory':
      return { kind: 'folder', path };
    case 'symlink':
      if (!staysInside(path, target))
        throw new SourceError(`${shown(path)} is a symbolic link that leaves the source, to ${shown(target)}.`);
      return { kind: 'link', path, target };
    case 'link':
      return { kind: 'copy', path, from: pathOf(target) };
    default:
      throw new SourceError(`${shown(path)} is a ${type.replaceAll('-', ' ')}, which a source cannot contain.`);
  }
}

/**
 * Returns the same entry in a folder of the source. The target of a symbolic link is relative to the link, so it stays.
 */
export function entryBelow(at: string, entry: SourceEntry): SourceEntry {
  if (at === '') return entry;
  const path = `${at}/${entry.path}`;
  return entry.kind === 'copy' ? { ...entry, path, from: `${at}/${entry.from}` } : { ...entry, path };
}

function pathOf(name: string): string {
  const path = posix.normalize(name).replace(/(.)\/$/, '$1');
  const parts = path.split('/');
  if (name.includes('\0') || path.startsWith('/') || parts.includes('..'))
    throw new SourceError(`${shown(name)} is a path outside the source.`);
  const isTooLong =
    Buffer.byteLength(path) > most.pathBytes || parts.some((part) => Buffer.byteLength(part) > most.partBytes);
  if (isTooLong || parts.length > most.depth) throw new SourceError(`The path ${shown(path)} is too long or too deep.`);
  return path;
}

/** Checks only the text of the link. A link to another link may lead further, and is checked when a file is read. */
function staysInside(path: string, target: string): boolean {
  if (target === '' || target.includes('\0') || target.startsWith('/')) return false;
  const led = posix.normalize(posix.join(posix.dirname(path), target));
  return led !== '..' && !led.startsWith('../');
}

function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}

/** The message is for the client that has sent the archive. */
export class SourceError extends Error {
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false, ...options }: ErrorOptions & { isTooLarge?: boolean } = {}) {
    super(message, options);
    this.name = 'SourceError';
    this.isTooLarge = isTooLarge;
  }
}
