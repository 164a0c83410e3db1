/** Turns a file or folder of this machine into a layer of an image: the same content as a mount, without the mount. */

import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { extract, type Header, type Pack, pack } from 'tar-stream';
import type { FolderLayer } from '../../folder/project.ts';
import { type BasePaths, recordEntry, resolvePath } from '../../lib/image-paths.ts';
import { addTarPieces, addTarText } from '../../lib/tar-entries.ts';
import { PushFault } from '../push-fault.ts';
import { type Entry, entryAt, listFolder, type Made } from './folder-listing.ts';

/** Marks a folder that hides the content of the layers below. */
export const opaque = '.wh..wh..opq';

/** The history of a folder must not be published. */
const history = '.git';

/** Lists the entries on this machine, before the base image is known. */
export async function listLayer({ from, kind, except = [] }: FolderLayer): Promise<Entry[]> {
  if (kind === 'folder') {
    const ignores = (path: string) => [history, ...except].some((one) => isWithin(path, one));
    const entries = await listFolder(from, { ignores, mayKeepBelow: () => false });
    for (const entry of entries) if (entry.kind === 'link') refuseLeaving(from, entry);
    return entries;
  }
  // A link to a readable path, which was checked when the project was read.
  const entry = await entryAt(await realpath(from), posix.basename(from));
  if (entry?.kind !== 'file') throw new PushFault(`${from} is no longer a file.`);
  return [entry];
}

/**
 * Returns the entries of the layer on top of an image with `paths`, and adds them there. A folder hides the image's
 * content at its path, like a mount. Otherwise, a server's default site could be served next to the intended one. With
 * `except`, it hides nothing.
 */
export function layerEntries(
  { kind, to, except = [] }: FolderLayer,
  listed: readonly Entry[],
  paths: BasePaths,
): (Entry | Made)[] {
  const place = resolvePath(paths, to);
  const within = (path: string) => posix.join(place, path).slice(1);
  const entries: (Entry | Made)[] = [...foldersAbove(place, paths)];
  if (kind === 'file') {
    entries.push({ ...listed[0]!, path: place.slice(1) });
  } else {
    const own = place === '/' ? [] : [folderAt(place, paths)];
    const isMerged = place === '/' || except.length > 0;
    const hiding: Made[] = isMerged ? [] : [{ kind: 'made', path: within(opaque), mode: 0o644, content: '' }];
    entries.push(...own, ...hiding, ...listed.map((entry) => ({ ...entry, path: within(entry.path) })));
  }
  for (const entry of entries) recordPath(paths, entry);
  return entries;
}

export function foldersAbove(place: string, paths: BasePaths): Made[] {
  const parents: Made[] = [];
  for (let path = posix.dirname(place); path !== '/'; path = posix.dirname(path))
    parents.unshift(folderAt(path, paths));
  return parents;
}

/** Returns a folder as it is in the image. A missing one belongs to root and is readable by all users. */
function folderAt(path: string, paths: BasePaths): Made {
  const there = paths.get(path);
  const { mode, uid, gid } = there?.kind === 'folder' ? there : { mode: 0o755, uid: 0, gid: 0 };
  return { kind: 'folder', path: path.slice(1), mode, uid, gid };
}

function recordPath(paths: BasePaths, entry: Entry | Made): void {
  const { uid = 0, gid = 0 } = entry as { uid?: number; gid?: number };
  const type = { folder: 'directory', link: 'symlink', file: 'file', made: 'file' }[entry.kind];
  const target = entry.kind === 'link' ? entry.target : '';
  recordEntry(paths, { name: entry.path, type, mode: entry.mode, uid, gid, target });
}

/** A link in a cloned project may point to any file of this machine. In the image, it would point to something else. */
function refuseLeaving(folder: string, { path, target }: Entry & { kind: 'link' }): void {
  const at = posix.join(posix.dirname(path), target);
  if (!target.startsWith('/') && at !== '..' && !at.startsWith('../')) return;
  throw new PushFault(`${posix.join(folder, path)} is a link that leaves the folder, to ${target}.`, {
    hint: 'Copy its target into the folder, or remove the link.',
  });
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * Turns a tar of this machine, such as an exported volume, into a layer of an image, with its owners, at another path.
 */

const kinds = ['file', 'directory', 'symlink', 'link'];

/** Hides the image's own content at its path. Entries are added to `paths` as they are written. */
export function packArchive(layer: Pick<FolderLayer, 'from' | 'to'>, paths: BasePaths): Readable {
  const tar = pack();
  tar.on('error', () => {});
  addAll(tar, layer, paths).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return Readable.from(tar, { objectMode: false });
}

async function addAll(tar: Pack, { from, to }: Pick<FolderLayer, 'from' | 'to'>, paths: BasePaths): Promise<void> {
  const place = resolvePath(paths, to);
  const placed = (name: string) => posix.join(place, posix.join('/', name)).slice(1);
  for (const { path, mode, uid = 0, gid = 0 } of foldersAbove(place, paths))
    await addTarText(tar, { name: `${path}/`, type: 'directory', mode, uid, gid, mtime: new Date(0) });
  const source = createReadStream(from);
  const entries = extract();
  source.once('error', (error) => entries.destroy(error));
  let isFirst = true;
  for await (const entry of source.pipe(entries)) {
    const header = readHeader(from, entry.header, placed);
    recordEntry(paths, {
      name: header.name,
      type: header.type ?? 'file',
      mode: header.mode ?? 0o644,
      uid: header.uid ?? 0,
      gid: header.gid ?? 0,
      target: header.linkname ?? '',
    });
    if (header.type === 'file' && header.size! > 0)
      await addTarPieces(tar, { ...header, size: header.size! }, entry as AsyncIterable<Uint8Array>);
    else {
      entry.resume();
      await addTarText(tar, header);
    }
    if (isFirst) await addTarText(tar, { name: placed(opaque), mode: 0o644, mtime: new Date(0) });
    isFirst = false;
    if (tar.destroyed) return;
  }
}

function readHeader(
  from: string,
  header: Header,
  placed: (name: string) => string,
): Partial<Header> & { name: string } {
  const { name, type, mode, uid, gid, mtime, size, linkname } = header;
  // A type without a name in this format is a sparse file. Images cannot contain one.
  if (!type || !kinds.includes(type))
    throw new PushFault(`${from} has ${JSON.stringify(name)}, which no image can hold: a file with holes.`, {
      hint: 'Load the data into the running volume instead.',
    });
  if (posix.basename(name).startsWith('.wh.'))
    throw new PushFault(`${from} has ${JSON.stringify(name)}: in an image that name removes a file.`);
  const path = `${placed(name).replace(/\/$/, '')}${type === 'directory' ? '/' : ''}`;
  const target = type === 'link' ? placed(linkname ?? '') : linkname;
  return {
    name: path,
    type,
    size: type === 'file' ? size : 0,
    mode: mode!,
    uid: uid!,
    gid: gid!,
    mtime: mtime!,
    ...(target && { linkname: target }),
  };
}
