/** Layers that were unpacked here once, on their way to an engine: nothing is unpacked again, and no registry is asked. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Digest } from '../../lib/digest.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { checkUnpacked, type Passing } from './layer-stream.ts';
import { headBytes, packingOf } from './unpacked-bytes.ts';

/** As much as is read at a time; two such pieces are all the memory that it takes. */
const pieceBytes = 2 ** 20;

/**
 * Writes what the layer unpacks to from the cache and ends `out`; false when it is not there, and nothing is written. The
 * engine compares it with the digest that it has asked for; what it does not take, `dropDamaged` looks at. The cache has
 * only what everybody may have, so that it makes no difference whether the layer really unpacks to that: the engine gets
 * what the configuration says. Throws ImageFault.
 */
export async function passKept(
  image: ResolvedUpstream,
  { layer, diffId }: { layer: Descriptor; diffId: Digest },
  out: ServerResponse,
  { cache, sum, passed, inOrder = (chunks) => chunks }: Passing,
): Promise<boolean> {
  const kept = image.isForEverybody ? await cache?.open(diffId) : undefined;
  if (!kept) return false;
  const { sizeBytes } = kept;
  await using file = kept.file;
  const { buffer: head } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  // The engine would unpack what is packed once more, uncounted: that was kept for another kind of engine.
  if (packingOf(head) !== 'none') return false;
  checkUnpacked(image, layer, { bytes: sizeBytes, diffId }, sum);
  out.setHeader('content-length', sizeBytes);
  let bytes = 0;
  // One piece is read while the one before it is taken.
  let taken: Promise<void> = Promise.resolve();
  for await (const piece of inOrder(piecesOf(file, sizeBytes))) {
    await taken;
    taken = new Promise((done, failed) => out.write(piece, (error) => (error ? failed(error) : done())));
    taken.catch(() => {});
    bytes += piece.length;
    passed?.(Math.floor((layer.sizeBytes * bytes) / sizeBytes));
  }
  await taken;
  out.end();
  return true;
}

/** Each is good until the next but one is asked for. Throws when there is less than was there before. */
async function* piecesOf(file: FileHandle, sizeBytes: number): AsyncIterable<Buffer> {
  const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)] as const;
  let isOdd = false;
  for (let at = 0; at < sizeBytes; ) {
    const buffer = buffers[isOdd ? 1 : 0];
    const { bytesRead } = await file.read(buffer, 0, Math.min(pieceBytes, sizeBytes - at), at);
    if (bytesRead === 0) throw new Error('a file that was kept has become shorter');
    at += bytesRead;
    isOdd = !isOdd;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Takes those out of the cache that are not what their digests say, so that they are had from their registry. How many. */
export async function dropDamaged(cache: BlobCache, digests: Iterable<Digest>): Promise<number> {
  let dropped = 0;
  for (const digest of digests) {
    const found = await cache.read(digest);
    if (!found) continue;
    const hash = createHash('sha256');
    for await (const chunk of found.stream as AsyncIterable<Buffer>) hash.update(chunk);
    if (`sha256:${hash.digest('hex')}` === digest) continue;
    await cache.drop(digest);
    dropped++;
  }
  return dropped;
}
