/** A layer on its way from its registry: held against its digest and unpacked, and never complete before that is right. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { orAbort } from '../../lib/abortable.ts';
import type { Digest } from '../../lib/digest.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Pace } from '../dialer/bounded-body.ts';
import type { ImageFault } from '../image-fault.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import { type ResolvedUpstream, refusal } from '../resolve/resolve.ts';
import { type Asked, dialFault } from '../upstream/registry-faults.ts';
import { keepAside } from './cached-layer.ts';
import { verifiedChunks } from './layer-chunks.ts';
import { type Unpacked, UnpackFault } from './unpacked-bytes.ts';
import type { UnpackedSum } from './unpacked-sum.ts';
import type { UnpackingThread } from './unpacking-thread.ts';

export type Passing = {
  sum: UnpackedSum;
  thread: UnpackingThread;
  /** What layers unpack to that were unpacked before. */
  known: Map<Digest, Unpacked>;
  pace: Pace;
  /** Where layers of registries elsewhere are kept, as they are passed on. */
  cache?: BlobCache | undefined;
  /** When the next chunk of the layer may go on; default: as they come. */
  inOrder?: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
  /** Told how much of the layer has come. */
  passed?: ((bytes: number) => void) | undefined;
  /** Nobody reads it any more, or the pull has ended. */
  signal: AbortSignal;
};

/**
 * Writes what the layer unpacks to and ends `out`, once digest and length are right, and it is what the image's
 * configuration says of it. Throws ImageFault, and an Error where it has to be asked for again.
 */
export async function passUnpacked(
  image: ResolvedUpstream,
  layer: Descriptor,
  out: Writable,
  { passed, cache, ...passing }: Passing,
): Promise<void> {
  let unpacked: Unpacked | undefined;
  await using keeping = cache && image.isForEverybody ? await keepAside(cache, () => unpacked!.diffId) : undefined;
  const write = (piece: Uint8Array) =>
    new Promise<void>((done, failed) => out.write(piece, (error) => (error ? failed(error) : done())));
  const isKnown = passing.known.has(layer.digest);
  let bytes = 0;
  let unpackedBytes = 0;
  let isDoubted = false;
  const take = async (piece: Uint8Array) => {
    unpackedBytes += piece.length;
    isDoubted ||= !isKnown && unpackedBytes > Math.max(leastDoubted, doubtedRatio * bytes);
    if (!isDoubted) await Promise.all([write(piece), keeping?.write(piece)]);
  };
  unpacked = await unpackLayer(image, layer, { ...passing, take }, async (chunk) => {
    bytes += chunk.length;
    passed?.(bytes);
  });
  if (isDoubted) throw new Error('the layer was only counted: it passes when it is asked for again');
  out.end();
  keeping?.keep({ digest: unpacked.diffId, sizeBytes: unpacked.bytes });
}

/**
 * What unpacks to so much more than has come is most likely meant to fill the disk. It is counted to its end first: an
 * engine whose connection is cut asks again. Layers of official images unpack to 2 to 5 times of what is sent.
 */
const doubtedRatio = 64;
const leastDoubted = 2 ** 26;

/**
 * Writes the layer as it comes, and ends `out`. A piece goes after it is counted, and the last one after digest and length
 * are right, so that nobody has a whole layer that is wrong. Throws ImageFault.
 */
export async function passPacked(
  image: ResolvedUpstream,
  layer: Descriptor,
  out: Writable,
  passing: Passing,
): Promise<void> {
  let held: Buffer = Buffer.alloc(0);
  let bytes = 0;
  const pass = async (chunk: Buffer) => {
    out.write(chunk);
    if (out.writableLength > mostUnsent) await once(out, 'drain', { signal: passing.signal });
  };
  await unpackLayer(image, layer, passing, async (chunk) => {
    bytes += chunk.length;
    passing.passed?.(bytes);
    await pass(held);
    // It is sent while others come.
    held = Buffer.from(chunk);
  });
  await pass(held);
  out.end();
}

/** What may wait for whoever reads: with less, every piece would wait for the one before it to be taken. */
const mostUnsent = 2 ** 21;

type Unpack = Passing & { take?: (piece: Uint8Array) => Promise<void> };

/** `came`: told of each chunk, when those before it are unpacked. */
async function unpackLayer(
  image: ResolvedUpstream,
  layer: Descriptor,
  { sum, thread, known, pace, cache, signal, take, inOrder = (chunks) => chunks }: Unpack,
  came: (chunk: Buffer) => Promise<void>,
): Promise<Unpacked> {
  const { asked } = image;
  const found = known.get(layer.digest);
  const times = timesIn(image, layer);
  const isAllowed = (bytes: number) => sum.count(layer.digest, times * bytes);
  // One that was unpacked before is unpacked again only for whoever takes that.
  const unpacking = found && !take ? undefined : thread.unpack(layer.digest, { isAllowed, ...(take && { take }) });
  try {
    if (found) checkUnpacked(image, layer, found, sum);
    for await (const chunk of inOrder(verifiedChunks(image, layer, { pace, cache, signal }))) {
      if (unpacking) await orAbort(unpacking.write(chunk), signal);
      await came(chunk);
    }
    if (!unpacking) return found!;
    const unpacked = await orAbort(unpacking.end(), signal);
    remember(known, layer.digest, unpacked);
    checkUnpacked(image, layer, unpacked, sum);
    return unpacked;
  } catch (error) {
    throw error instanceof UnpackFault ? unpackFault(error, asked, sum) : dialFault(error, asked);
  } finally {
    unpacking?.destroy();
  }
}

/** An engine has a layer once for each place that it has in the image. */
function timesIn({ layers }: ResolvedUpstream, { digest }: Descriptor): number {
  return layers.filter((each) => each.digest === digest).length;
}

/**
 * An engine takes a layer that it has without asking for it, and knows it by what it unpacks to: so nobody may say of his
 * layer that it unpacks to somebody else's. Throws ImageFault.
 */
export function checkUnpacked(
  image: ResolvedUpstream,
  layer: Descriptor,
  { bytes, diffId }: Unpacked,
  sum: UnpackedSum,
): void {
  const { asked, layers, diffIds } = image;
  if (!sum.count(layer.digest, timesIn(image, layer) * bytes)) throw sum.fault();
  if (layers.some((each, at) => each.digest === layer.digest && diffIds[at] !== diffId))
    throw refusal(asked, 'has a layer that is not what its configuration says', 'build it anew');
}

/** Each is 200 bytes; the one unpacked longest ago leaves. */
const mostKnown = 20_000;

function remember(known: Map<Digest, Unpacked>, digest: Digest, unpacked: Unpacked): void {
  known.delete(digest);
  known.set(digest, unpacked);
  if (known.size > mostKnown) known.delete(known.keys().next().value!);
}

function unpackFault({ kind }: UnpackFault, asked: Asked, sum: UnpackedSum): ImageFault {
  switch (kind) {
    case 'too-large':
      return sum.fault();
    case 'broken':
      return refusal(asked, 'has a layer that cannot be unpacked', 'build it anew');
    case 'uncounted':
      return refusal(asked, 'has a layer that is packed with neither gzip nor zstd', 'build it anew');
    case 'packed-twice':
      return refusal(asked, 'has a layer that is packed twice', 'build it anew');
  }
}
