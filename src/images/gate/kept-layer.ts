/** A layer that was unpacked here once, on its way to an engine: nothing is unpacked again, and no registry is asked. */
import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Digest } from '../blobs/digest.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { dropDamaged } from './cached-layer.ts';
import { checkUnpacked, type Passing } from './layer-stream.ts';
import { packingOf } from './unpacked-bytes.ts';

/**
 * Writes what the layer unpacks to from the cache and ends `out`; false when it is not there, and nothing is written. The
 * last piece goes when the digest is right. The cache has only what everybody may have, so that it makes no difference
 * whether the layer really unpacks to that: the engine gets what the configuration says. Throws ImageFault, and an Error
 * where it has to be asked for again.
 */
export async function passKept(
  image: ResolvedUpstream,
  { layer, diffId }: { layer: Descriptor; diffId: Digest },
  out: Writable,
  { cache, sum, passed, inOrder = (chunks) => chunks }: Passing,
): Promise<boolean> {
  const kept = image.isForEverybody ? await cache?.read(diffId) : undefined;
  if (!kept) return false;
  const { sizeBytes } = kept;
  const hash = createHash('sha256');
  let bytes = 0;
  let held: Buffer | undefined;
  const write = (piece: Buffer) =>
    new Promise<void>((done, failed) => out.write(piece, (error) => (error ? failed(error) : done())));
  try {
    checkUnpacked(image, layer, { bytes: sizeBytes, diffId }, sum);
    for await (const chunk of inOrder(kept.stream as AsyncIterable<Buffer>)) {
      // The engine would unpack what is packed once more, uncounted: that was kept for another kind of engine.
      if (bytes === 0 && packingOf(chunk) !== 'none') return false;
      hash.update(chunk);
      bytes += chunk.length;
      if (held) await write(held);
      held = chunk;
      passed?.(Math.floor((layer.sizeBytes * bytes) / sizeBytes));
    }
    if (`sha256:${hash.digest('hex')}` !== diffId) return await dropDamaged(cache!, diffId);
    out.end(held);
    return true;
  } finally {
    kept.stream.destroy();
  }
}
