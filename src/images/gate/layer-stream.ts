/** A layer on its way from its registry to the engine: counted, held against its digest, and never complete before. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pushedRegistry } from '../../config/values/pushed-image.ts';
import { orAbort } from '../../lib/abortable.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Digest } from '../blobs/digest.ts';
import { type Pace, readAtPace } from '../dialer/bounded-body.ts';
import { DialFault } from '../dialer/dial-fault.ts';
import type { ImageFault } from '../image-fault.ts';
import type { Descriptor } from '../resolve/manifest.ts';
import { type ResolvedUpstream, refusal } from '../resolve/resolve.ts';
import { dialFault, statusFault } from '../upstream/registry-faults.ts';
import { cachedChunks } from './cached-layer.ts';
import { type CountBehind, type CountingRoom, countBehind } from './count-behind.ts';
import type { CountingThread } from './counting-thread.ts';
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
  { client, asked }: Pick<ResolvedUpstream, 'client' | 'asked'>,
  layer: Descriptor,
  out: Writable,
  { sum, thread, room, known, pace, passed, cache, closed, ended }: Passing,
): Promise<void> {
  const hash = createHash('sha256');
  const digestSoFar = (): Digest => `sha256:${hash.copy().digest('hex')}`;
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
    const upstream = layerChunks({ client, asked }, layer, pace, signal);
    // What was pushed is on the disk already.
    const isKept = cache && asked.registry !== pushedRegistry;
    for await (const chunk of isKept ? cachedChunks(cache, layer, upstream, digestSoFar) : upstream) {
      bytes += chunk.length;
      if (bytes > layer.sizeBytes) throw lies(asked, 'is longer than its manifest says');
      hash.update(chunk);
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
    if (bytes < layer.sizeBytes) throw lies(asked, 'is shorter than its manifest says');
    if (digestSoFar() !== layer.digest) throw lies(asked, 'is not what its digest says');
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

/** After a connection that was cut it goes on where that ended. */
async function* layerChunks(
  { client, asked }: Pick<ResolvedUpstream, 'client' | 'asked'>,
  layer: Descriptor,
  pace: Pace,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  let bytes = 0;
  for (let resumed = 0; ; resumed++) {
    const range = bytes > 0 ? `bytes=${bytes}-` : undefined;
    const { status, body, url } = await client.ask('GET', `blobs/${layer.digest}`, { accept: '*/*', range, signal });
    if (status !== (range ? 206 : 200)) {
      body.destroy();
      throw statusFault(status, asked);
    }
    try {
      for await (const chunk of inPieces(readAtPace(body, url.host, pace))) {
        bytes += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      const isCut = error instanceof DialFault && error.kind === 'unreachable';
      if (!isCut || signal.aborted || resumed === mostResumed || bytes === 0) throw error;
    }
  }
}

/** Sockets give 64 KiB at a time; each piece is hashed, counted, kept and sent on its own. */
const pieceBytes = 2 ** 19;

/** What has come before a fault is given before it is thrown. */
async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = () => {
    const piece = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
    parts = [];
    length = 0;
    return piece;
  };
  let fault: { reason: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      parts.push(chunk);
      length += chunk.length;
      if (length >= pieceBytes) yield take();
    }
  } catch (reason) {
    fault = { reason };
  }
  if (length > 0) yield take();
  if (fault) throw fault.reason;
}

/** As often as Docker tries. */
const mostResumed = 5;

function lies(asked: ResolvedUpstream['asked'], because: string): ImageFault {
  return refusal(asked, `cannot be had: a layer of it ${because}`, 'its registry sends something else');
}

function unpackFault({ kind }: UnpackFault, asked: ResolvedUpstream['asked'], sum: UnpackedSum): ImageFault {
  switch (kind) {
    case 'too-large':
      return sum.fault();
    case 'broken':
      return refusal(asked, 'has a layer that cannot be unpacked', 'build it anew');
    case 'uncounted':
      return refusal(asked, 'has a layer that is packed with neither gzip nor zstd', 'build it anew');
  }
}
