/** A layer on its way from its registry to the engine: counted, held against its digest, and never complete before. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { orAbort } from '../../lib/abortable.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Pace } from '../dialer/bounded-body.ts';
import type { ImageFault } from '../image-fault.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import { refusal } from '../resolve/resolve.ts';
import { type Asked, dialFault } from '../upstream/registry-faults.ts';
import { type CountBehind, type CountingRoom, countBehind } from './count-behind.ts';
import type { CountingThread } from './counting-thread.ts';
import { type LayerOrigin, verifiedChunks } from './layer-chunks.ts';
import { headBytes, UnpackFault } from './unpacked-bytes.ts';
import type { UnpackedSum } from './unpacked-sum.ts';

export type Passing = {
  sum: UnpackedSum;
  thread: CountingThread;
  room: CountingRoom;
  /** What layers unpack to that were counted before. */
  known: Map<string, number>;
  /** Told of each chunk that has passed. */
  passed: (bytes: number) => void;
  pace: Pace;
  /** Where layers of registries elsewhere are kept. */
  cache?: BlobCache | undefined;
  /** Nobody reads it any more. */
  closed: AbortSignal;
  /** The pull has ended, so that nothing about it matters. */
  ended: AbortSignal;
};

/**
 * Writes the layer to `out` and ends that; resolves when it is counted as well. The last chunk goes only after digest
 * and length are right, so that an engine never has a whole layer that is wrong. Throws ImageFault.
 */
export async function passLayer(
  origin: LayerOrigin,
  layer: Descriptor,
  out: Writable,
  { sum, thread, room, known, pace, passed, cache, closed, ended }: Passing,
): Promise<void> {
  const { asked } = origin;
  const signal = AbortSignal.any([closed, ended]);
  let bytes = 0;
  let unpacked = known.get(layer.digest);
  const isKnown = unpacked !== undefined;
  let counter: CountBehind | undefined;
  let head: Buffer[] = [];
  let held: Buffer = Buffer.alloc(0);
  const isAllowed = (count: number) => {
    unpacked = count;
    return sum.count(layer.digest, count);
  };
  const pass = async (chunk: Buffer) => {
    passed(chunk.length);
    out.write(chunk);
    if (out.writableLength > mostUnsent) await once(out, 'drain', { signal });
  };
  try {
    if (unpacked !== undefined && !isAllowed(unpacked)) throw new UnpackFault('too-large');
    for await (const chunk of verifiedChunks(origin, layer, { pace, cache, signal })) {
      bytes += chunk.length;
      if (held.length > 0) await pass(held);
      held = chunk;
      if (isKnown) continue;
      if (counter) {
        await counter.write(chunk);
        continue;
      }
      head.push(chunk);
      if (bytes < headBytes && bytes < layer.sizeBytes) continue;
      const first = Buffer.concat(head);
      head = [];
      const mayBeAhead = (most: number) => sum.mayBeAhead(layer.digest, most);
      counter = countBehind(thread.count(first, isAllowed), room, mayBeAhead);
      await counter.write(first);
    }
    if (bytes <= countedAtOnce) await counter?.end();
    await pass(held);
    out.end();
    if (bytes > countedAtOnce) await orAbort(counter?.end() ?? Promise.resolve(), ended);
    if (unpacked !== undefined) remember(known, layer.digest, unpacked);
  } catch (error) {
    throw error instanceof UnpackFault ? unpackFault(error, asked, sum) : dialFault(error, asked);
  } finally {
    counter?.destroy();
  }
}

/** What may wait for the engine: with less, every piece would wait for the one before it to be taken. */
const mostUnsent = 2 ** 21;

/** Counted in milliseconds: nobody gains when such a layer is ahead of its count. */
const countedAtOnce = 2 ** 20;

/** Each is 100 bytes; the one counted longest ago leaves. */
const mostKnown = 20_000;

function remember(known: Map<string, number>, digest: string, unpacked: number): void {
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
  }
}
