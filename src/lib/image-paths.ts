/**
 * The folders and links of an image, of all layers together. A layer entry for a folder replaces its attributes. So a
 * layer that adds a file must repeat the attributes of the folders above it, and must not replace a link with a folder.
 */
import { posix } from 'node:path';

export type BasePath = { kind: 'folder'; mode: number; uid: number; gid: number } | { kind: 'link'; target: string };

/** Entries by absolute path, without a slash at the end. */
export type BasePaths = Map<string, BasePath>;

/** The maximum number of links that Linux follows. */
const maxLinks = 40;

export type LayerEntry = {
  name: string;
  type: string;
  mode: number;
  uid: number;
  gid: number;
  target: string;
};

/** Applies one entry of another layer. Entries are applied in the order in which they are written. */
export function recordEntry(paths: BasePaths, entry: LayerEntry): void {
  const path = posix.join('/', entry.name).replace(/(.)\/$/, '$1');
  const { dir, base } = posix.parse(path);
  if (base === '.wh..wh..opq') {
    removeBelow(paths, dir);
    return;
  }
  if (base.startsWith('.wh.')) {
    const gone = posix.join(dir, base.slice('.wh.'.length));
    paths.delete(gone);
    removeBelow(paths, gone);
    return;
  }
  const { mode, uid, gid, target } = entry;
  if (entry.type === 'directory') paths.set(path, { kind: 'folder', mode, uid, gid });
  else if (entry.type === 'symlink') paths.set(path, { kind: 'link', target });
  // A file where a folder or a link was.
  else if (paths.delete(path)) removeBelow(paths, path);
}

function removeBelow(paths: BasePaths, folder: string): void {
  for (const path of paths.keys()) if (path.startsWith(`${folder}/`)) paths.delete(path);
}

/** Resolves all links of a path, including one in its last part. */
export function resolvePath(paths: Pick<BasePaths, 'get'>, path: string): string {
  let left = maxLinks;
  let rest = posix.join('/', path).split('/').filter(Boolean);
  let at = '';
  while (rest.length > 0) {
    const [part, ...others] = rest;
    rest = others;
    if (part === '..') {
      at = at.slice(0, at.lastIndexOf('/'));
      continue;
    }
    const next = `${at}/${part}`;
    const found = paths.get(next);
    if (found?.kind !== 'link' || left-- === 0) {
      at = next;
      continue;
    }
    const target = found.target.split('/').filter((each) => each !== '' && each !== '.');
    if (found.target.startsWith('/')) at = '';
    rest = [...target, ...rest];
  }
  return at === '' ? '/' : at;
}
