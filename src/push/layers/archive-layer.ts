/** A tar of this machine, such as that of an exported volume, as a layer of an image: with its owners, at another place. */
import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { extract, type Header, type Pack, pack } from 'tar-stream';
import type { FolderLayer } from '../../folder/project.ts';
import { type BasePaths, noteEntry, resolvePath } from '../../lib/image-paths.ts';
import { addTarPieces, addTarText } from '../../lib/tar-entries.ts';
import { PushFault } from '../push-fault.ts';
import { foldersAbove, opaque } from './folder-layer.ts';

const kinds = ['file', 'directory', 'symlink', 'link'];

/** Hides the image's own content at its place. Entries are noted in `paths` as they are written. */
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
    noteEntry(paths, {
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
