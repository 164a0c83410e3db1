/**
 * The content of an image below a path, as a tar: the initial content of a new volume. Layers are read as streams, once
 * to find all paths, and again for each tar if they contain a part of it. They are not stored.
 */
import { posix } from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { extract, type Header, type Pack, pack } from 'tar-stream';
import { resolvePath } from '../../lib/image-paths.ts';
import { addTarPieces, addTarText, type TarHeader } from '../../lib/tar-entries.ts';
import { ImageFault } from '../image-fault.ts';

/**
 * Writes the unpacked content of a layer, given by its number, and ends `out`. Each piece is valid until it is
 * accepted.
 */
export type UnpackLayer = (layer: number, out: Writable, signal: AbortSignal) => Promise<void>;

/** The content of a folder of an image. */
export type ImageContent = {
  /** The total size of its files. */
  contentBytes: number;
  /** The size of the tar. It contains directories, files and links with numeric owners. Links are not followed. */
  sizeBytes: number;
  /** Writes exactly this number of bytes to `to`, without ending it. */
  read(to: Writable, signal: AbortSignal): Promise<void>;
};

export type ContentsWanted = { image: string; layers: number; unpack: UnpackLayer; paths: readonly string[] };

/** Returns the contents by path. Paths that the image does not have are left out. Throws ImageFault. */
export async function readContents(wanted: ContentsWanted, signal: AbortSignal): Promise<Map<string, ImageContent>> {
  const { image, layers, unpack, paths } = wanted;
  const tree = createLayerTree();
  for (let layer = 0; layer < layers; layer++) {
    let at = 0;
    for await (const { header, entry } of entriesOf(wanted, layer, signal)) {
      const said = { layer, at: at++, type: header.type ?? 'file', target: header.linkname ?? '' };
      if (!tree.note(header.name, said))
        throw refuse(image, 'has too many files, or too long names, to begin a volume');
      entry.resume();
    }
  }
  const found = new Map<string, ImageContent>();
  for (const path of paths) {
    const below = [...tree.below(path)].filter(([, { type }]) => kinds.includes(type));
    if (!below.some(([name]) => name !== '.')) continue;
    const packing = { image, layers, unpack, below: new Map(below) };
    const sizes = await measure(packing, signal);
    found.set(path, { ...sizes, read: (to, signal) => writeAll(packing, to, signal) });
  }
  return found;
}

/** Kinds that archives of volumes contain too: no sockets, pipes and devices. */
const kinds = ['file', 'directory', 'symlink', 'link'];

type Packing = Omit<ContentsWanted, 'paths'> & { below: ReadonlyMap<string, RecordedEntry> };

async function measure(packing: Packing, signal: AbortSignal) {
  let [sizeBytes, contentBytes] = [0, 0];
  const note = (bytes: number) => {
    contentBytes += bytes;
  };
  for await (const piece of packBelow(packing, signal, note)) sizeBytes += piece.length;
  return { sizeBytes, contentBytes };
}

async function writeAll(packing: Packing, to: Writable, signal: AbortSignal): Promise<void> {
  for await (const piece of packBelow(packing, signal))
    await new Promise<void>((done, failed) => to.write(piece, (error) => (error ? failed(error) : done())));
}

function packBelow(packing: Packing, signal: AbortSignal, note: (bytes: number) => void = () => {}): Readable {
  const tar = pack();
  tar.on('error', () => {});
  addAll(tar, packing, signal, note).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return Readable.from(tar, { objectMode: false });
}

async function addAll(tar: Pack, packing: Packing, signal: AbortSignal, note: (bytes: number) => void): Promise<void> {
  const byLayer = Map.groupBy(packing.below, ([, { layer }]) => layer);
  for (const layer of [...byLayer.keys()].sort((a, b) => a - b)) {
    const wanted = new Map(byLayer.get(layer)!.map(([name, { at }]) => [at, name]));
    // The names in the layer's own tar, by the path in the image.
    const names = new Map<string, string>();
    let at = 0;
    for await (const { header, entry } of entriesOf(packing, layer, signal)) {
      const name = wanted.get(at++);
      if (name === undefined) {
        entry.resume();
        continue;
      }
      names.set(posix.join('/', header.name), name);
      const written = rename(header, { name, names, image: packing.image });
      note(written.size ?? 0);
      if (written.type === 'file' && written.size! > 0)
        await addTarPieces(tar, { ...written, size: written.size! }, entry as AsyncIterable<Uint8Array>);
      else {
        entry.resume();
        await addTarText(tar, written);
      }
      if (tar.destroyed) return;
    }
  }
}

type Renaming = { name: string; names: ReadonlyMap<string, string>; image: string };

function rename(header: Header, { name, names, image }: Renaming): TarHeader {
  const { type = 'file', mode, uid, gid, mtime, size, linkname } = header;
  const target = type === 'link' ? names.get(posix.join('/', linkname ?? '')) : linkname;
  if (type === 'link' && target === undefined)
    throw refuse(image, `has ${JSON.stringify(name)} as another name of a file that no volume would have`);
  return {
    name: type === 'directory' ? `${name}/` : name,
    type,
    size: type === 'file' ? (size ?? 0) : 0,
    mode: mode!,
    uid: uid!,
    gid: gid!,
    mtime: mtime!,
    ...(target && { linkname: target }),
  };
}

/** Callers must take or resume each entry. Throws ImageFault. */
async function* entriesOf({ image, unpack }: Pick<Packing, 'image' | 'unpack'>, layer: number, signal: AbortSignal) {
  const left = new AbortController();
  const unpacked = new Transform({ transform: (piece: Uint8Array, _, done) => done(null, Buffer.from(piece)) });
  const entries = extract();
  const fail = (error: Error) => void entries.destroy(error);
  unpacked.on('error', fail);
  const unpacking = unpack(layer, unpacked, AbortSignal.any([signal, left.signal])).catch(fail);
  unpacked.pipe(entries);
  try {
    for await (const entry of entries) yield { header: entry.header, entry };
    await unpacking;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ImageFault ? error : refuse(image, 'has a layer that cannot be read', { cause: error });
  } finally {
    left.abort();
    unpacked.destroy();
    await unpacking;
  }
}

function refuse(image: string, because: string, options: ErrorOptions = {}): ImageFault {
  return new ImageFault('bad-request', image, `Image ${image} ${because}.`, options);
}

/**
 * The merged file tree of all layers of an image, as engines unpack them (OCI image specification 1.1, "Applying
 * Changesets"): an upper layer replaces entries of lower ones, and `.wh.` removes them.
 */

/** `at`: how many entries are before it in its layer. */
type RecordedEntry = { layer: number; at: number; type: string; target: string };

type Node = {
  said?: RecordedEntry;
  children: Map<string, Node>;
  /** Layers before this one have no content below the path. */
  prunedTo?: number;
};

type LayerTree = {
  /**
   * Entries arrive in the order of the layers, and in the order within each layer. Returns false if there are too many
   * to keep in memory.
   */
  note(name: string, said: RecordedEntry): boolean;
  /** The entries below a path, by their relative path, `.` for itself. Empty if the path is not a folder. */
  below(path: string): Map<string, RecordedEntry>;
};

/** Each takes about 400 bytes. Large images have 50,000 to 200,000 entries. */
const maxPaths = 400_000;

/** The limit of Linux. */
const longestPath = 4096;

const opaque = '.wh..wh..opq';
const whiteout = '.wh.';

function createLayerTree(): LayerTree {
  const root: Node = { children: new Map() };
  let made = 0;

  function find(path: string): Node | undefined {
    let node: Node | undefined = root;
    for (const step of stepsOf(path)) node = node?.children.get(step);
    return node;
  }

  function provide(steps: readonly string[]): Node {
    let node = root;
    for (const step of steps) {
      let child = node.children.get(step);
      if (!child) {
        child = { children: new Map() };
        node.children.set(step, child);
        made++;
      }
      node = child;
    }
    return node;
  }

  function linkAt(path: string) {
    const said = find(path)?.said;
    return said?.type === 'symlink' ? { kind: 'link' as const, target: said.target } : undefined;
  }

  return {
    note(name, said) {
      if (name.length > longestPath) return false;
      const steps = stepsOf(name);
      const last = steps.at(-1) ?? '';
      if (last.startsWith(whiteout)) {
        const folder = find(posix.dirname(posix.join('/', name)));
        if (folder) removeLower(folder, last, said.layer);
        return true;
      }
      const node = provide(steps);
      node.said = said;
      if (said.type !== 'directory') node.children.clear();
      return made <= maxPaths;
    },
    below(path) {
      const found = new Map<string, RecordedEntry>();
      const collect = (node: Node, at: string) => {
        if (node.said) found.set(at, node.said);
        for (const [step, child] of node.children) collect(child, posix.join(at, step));
      };
      const node = find(resolvePath({ get: linkAt }, path));
      if (node && (node.said?.type ?? 'directory') === 'directory') collect(node, '.');
      return found;
    },
  };
}

/** `..` at the root stays at the root. */
function stepsOf(path: string): string[] {
  return posix.join('/', path).split('/').filter(Boolean);
}

function removeLower(folder: Node, mark: string, layer: number): void {
  if (mark === opaque) {
    pruneBelow(folder, layer);
    return;
  }
  const gone = mark.slice(whiteout.length);
  const node = folder.children.get(gone);
  if (node && !isLeft(node, layer)) folder.children.delete(gone);
}

/** Once for each layer, however often it says so. */
function pruneBelow(node: Node, layer: number): void {
  if (node.prunedTo === layer) return;
  node.prunedTo = layer;
  for (const [step, child] of node.children) if (!isLeft(child, layer)) node.children.delete(step);
}

/** Returns whether a part of the path belongs to this layer. Then all other content is hidden. */
function isLeft(node: Node, layer: number): boolean {
  pruneBelow(node, layer);
  if (node.said && node.said.layer !== layer) delete node.said;
  return node.said !== undefined || node.children.size > 0;
}
