/** An image of which every layer is kept, as one archive, in the form in which engines save and load images. */
import { Readable } from 'node:stream';
import { type Pack, pack } from 'tar-stream';
import type { Digest } from '../../lib/digest.ts';
import { addTarPieces, addTarText } from '../../lib/tar-entries.ts';
import type { OpenedBlob } from '../blobs/blob-folder.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { openKept } from './kept-layer.ts';
import type { Passing } from './layer-stream.ts';

/** What has been read of it when it is disposed of is all that anybody gets. */
export type KeptArchive = AsyncDisposable & {
  stream: Readable;
  /** What its layers take. */
  sizeBytes: number;
};

export type Archiving = Pick<Passing, 'cache' | 'sum'> & {
  /** By which the engine knows it when it has it. */
  names: readonly string[];
  /** Told how much of a layer has gone, in bytes as its registry sends it. */
  passed?: ((digest: Digest, bytes: number) => void) | undefined;
};

/** Undefined where a layer is missing. Throws ImageFault. */
export async function openKeptArchive(
  image: ResolvedUpstream,
  { names, passed, ...keeping }: Archiving,
): Promise<KeptArchive | undefined> {
  await using opening = new AsyncDisposableStack();
  const layers: KeptLayer[] = [];
  for (const [at, layer] of image.layers.entries()) {
    const diffId = image.diffIds[at]!;
    const kept = await openKept(image, { layer, diffId }, keeping);
    if (!kept) return undefined;
    opening.use(kept.file);
    layers.push({ ...kept, went: (bytes) => passed?.(diffId, Math.floor((layer.sizeBytes * bytes) / kept.sizeBytes)) });
  }
  const tar = pack();
  opening.defer(() => {
    tar.destroy();
  });
  const stream = Readable.from(tar, { objectMode: false });
  // Whoever reads it hears it too.
  tar.on('error', () => {});
  stream.on('error', () => {});
  writeAll(tar, image, { layers, names }).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  const open = opening.move();
  const sizeBytes = layers.reduce((sum, layer) => sum + layer.sizeBytes, 0);
  return { stream, sizeBytes, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type KeptLayer = OpenedBlob & { went: (bytes: number) => void };

async function writeAll(
  tar: Pack,
  { config }: ResolvedUpstream,
  { layers, names }: { layers: readonly KeptLayer[]; names: readonly string[] },
): Promise<void> {
  const nameOf = (at: number) => `${at}/layer.tar`;
  for (const [at, { sizeBytes, file, went }] of layers.entries()) {
    const written = await addTarPieces(tar, { name: nameOf(at), size: sizeBytes }, told(piecesOf(file), went));
    if (written !== sizeBytes) throw new Error('a file that was kept has become shorter');
  }
  const configName = 'config.json';
  await addTarText(tar, { name: configName }, config.bytes.toString('utf8'));
  const listed = [{ Config: configName, RepoTags: names, Layers: layers.map((_, at) => nameOf(at)) }];
  await addTarText(tar, { name: 'manifest.json' }, JSON.stringify(listed));
}

const pieceBytes = 2 ** 18;

/** From its beginning; whoever has opened the file closes it. */
function piecesOf(file: OpenedBlob['file']): AsyncIterable<Buffer> {
  return file.createReadStream({ start: 0, autoClose: false, highWaterMark: pieceBytes }) as AsyncIterable<Buffer>;
}

async function* told(pieces: AsyncIterable<Buffer>, went: (bytes: number) => void): AsyncIterable<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    yield piece;
    bytes += piece.length;
    went(bytes);
  }
}
