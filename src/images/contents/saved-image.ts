/** A whole image as a tar in the format of `docker save`, whose layers are packed as in its registry. */
import { PassThrough, Readable, type Writable } from 'node:stream';
import { type Pack, pack } from 'tar-stream';
import { addTarPieces, addTarText } from '../../lib/tar-entries.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';

/** `id`: the digest of its configuration. `open`: starts the tar, which fails if a layer does not come. */
export type SavedImage = { id: string; open(signal: AbortSignal): Readable };

/** Writes a layer as it is in its registry, and ends `out`. */
export type TakeLayer = (layer: Descriptor, out: Writable, signal: AbortSignal) => Promise<void>;

type Saving = Pick<ResolvedUpstream, 'config' | 'layers'>;

export function saveImage(image: Saving, take: TakeLayer): SavedImage {
  return {
    id: image.config.descriptor.digest,
    open(signal) {
      const tar = pack();
      tar.on('error', () => {});
      addAll(tar, image, (layer, out) => take(layer, out, signal)).then(
        () => tar.finalize(),
        (error: Error) => tar.destroy(error),
      );
      return Readable.from(tar, { objectMode: false });
    },
  };
}

async function addAll(
  tar: Pack,
  { config, layers }: Saving,
  take: (layer: Descriptor, out: Writable) => Promise<void>,
): Promise<void> {
  const files = layers.map((_, at) => `${at}.tar`);
  for (const [at, layer] of layers.entries()) {
    const pieces = new PassThrough();
    const adding = addTarPieces(tar, { name: files[at]!, size: layer.sizeBytes }, pieces);
    await Promise.all([adding, take(layer, pieces)]);
    if (tar.destroyed) return;
  }
  await addTarText(tar, { name: 'config.json' }, config.bytes.toString('utf8'));
  await addTarText(tar, { name: 'manifest.json' }, JSON.stringify([{ Config: 'config.json', Layers: files }]));
}
