/** A layer on its way from its registry to the engine: counted, held against its digest, and never complete before. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pushedRegistry } from '../../config/values/pushed-image.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import { type Pace, readAtPace } from '../dialer/bounded-body.ts';
import { DialFault } from '../dialer/dial-fault.ts';
import type { ImageFault } from '../image-fault.ts';
import type { Descriptor } from '../resolve/manifest.ts';
import { type ResolvedUpstream, refusal } from '../resolve/resolve.ts';
import { dialFault, statusFault } from '../upstream/registry-faults.ts';
import { cachedChunks } from './cached-layer.ts';
import { countUnpacked, headBytes, type UnpackedCounter, UnpackFault } from './unpacked-bytes.ts';

export type Passing = {
  /** Told what it unpacks to so far; false when that is too much. */
  mayUnpackTo: (bytes: number) => boolean;
  /** What is wrong when it is. */
  tooLarge: () => ImageFault;
  /** Told of each chunk that has passed. */
  passed: (bytes: number) => void;
  pace: Pace;
  /** Where layers of registries elsewhere are kept. */
  cache?: BlobCache | undefined;
  signal: AbortSignal;
};

/**
 * Writes the layer to `out`, which is not ended. The last chunk goes only after digest
 * and length are right, so that an engine never has a whole layer that is wrong. Throws ImageFault.
 */
export async function passLayer(
  { client, asked }: Pick<ResolvedUpstream, 'client' | 'asked'>,
  layer: Descriptor,
  out: Writable,
  { mayUnpackTo, tooLarge, pace, passed, cache, signal }: Passing,
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  let counter: UnpackedCounter | undefined;
  let held: Buffer = Buffer.alloc(0);
  const pass = async (chunk: Buffer) => {
    passed(chunk.length);
    if (!out.write(chunk)) await once(out, 'drain', { signal });
  };
  try {
    const upstream = layerChunks({ client, asked }, layer, pace, signal);
    // What was pushed is on the disk already.
    const isKept = cache && asked.registry !== pushedRegistry;
    for await (const chunk of isKept ? cachedChunks(cache, layer, upstream) : upstream) {
      bytes += chunk.length;
      if (bytes > layer.sizeBytes) throw lies(asked, 'is longer than its manifest says');
      hash.update(chunk);
      const isBegun = counter !== undefined;
      if (!isBegun && held.length + chunk.length < headBytes && bytes < layer.sizeBytes) {
        held = Buffer.concat([held, chunk]);
        continue;
      }
      const first = isBegun ? chunk : Buffer.concat([held, chunk]);
      counter ??= countUnpacked(first, mayUnpackTo);
      await counter.write(first);
      if (isBegun && held.length > 0) await pass(held);
      held = first;
    }
    if (bytes < layer.sizeBytes) throw lies(asked, 'is shorter than its manifest says');
    if (`sha256:${hash.digest('hex')}` !== layer.digest) throw lies(asked, 'is not what its digest says');
    await counter?.end();
    await pass(held);
  } catch (error) {
    throw error instanceof UnpackFault ? unpackFault(error, asked, tooLarge) : dialFault(error, asked);
  } finally {
    counter?.destroy();
  }
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
      for await (const chunk of readAtPace(body, url.host, pace)) {
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

/** As often as Docker tries. */
const mostResumed = 5;

function lies(asked: ResolvedUpstream['asked'], because: string): ImageFault {
  return refusal(asked, `cannot be had: a layer of it ${because}`, 'its registry sends something else');
}

function unpackFault({ kind }: UnpackFault, asked: ResolvedUpstream['asked'], tooLarge: () => ImageFault): ImageFault {
  switch (kind) {
    case 'too-large':
      return tooLarge();
    case 'broken':
      return refusal(asked, 'has a layer that cannot be unpacked', 'build it anew');
    case 'uncounted':
      return refusal(asked, 'has a layer that is packed with neither gzip nor zstd', 'build it anew');
  }
}
