/** Yields the bytes of a layer as its registry sends them. Throws if they do not match the digest. */
import { createHash } from 'node:crypto';
import { type Pace, readAtPace } from '../dialer/bounded-body.ts';
import { DialFault } from '../dialer/dial-fault.ts';
import type { ImageFault } from '../image-fault.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import { type ResolvedUpstream, refusal } from '../resolve/resolve.ts';
import { statusFault } from '../upstream/registry-faults.ts';

export type LayerOrigin = Pick<ResolvedUpstream, 'client' | 'context'>;

export type Reading = { pace: Pace; signal: AbortSignal };

/**
 * Each chunk is valid until the next but one is requested. Ends only if digest and length are right: a caller that
 * holds back the last chunk until then never passes on a complete wrong layer. Throws ImageFault, DialFault.
 */
export async function* verifiedChunks(
  origin: LayerOrigin,
  layer: Descriptor,
  { pace, signal }: Reading,
): AsyncIterable<Buffer> {
  const { context } = origin;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of layerChunks(origin, layer, pace, signal)) {
    bytes += chunk.length;
    if (bytes > layer.sizeBytes) throw lies(context, 'is longer than its manifest says');
    hash.update(chunk);
    yield chunk;
  }
  if (bytes < layer.sizeBytes) throw lies(context, 'is shorter than its manifest says');
  if (`sha256:${hash.digest('hex')}` !== layer.digest) throw lies(context, 'does not match its digest');
}

/** Continues after a broken connection. */
async function* layerChunks(
  { client, context }: LayerOrigin,
  layer: Descriptor,
  pace: Pace,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  let bytes = 0;
  for (let resumed = 0; ; resumed++) {
    const range = bytes > 0 ? `bytes=${bytes}-` : undefined;
    const { status, body, url } = await client.request('GET', `blobs/${layer.digest}`, {
      accept: '*/*',
      range,
      signal,
    });
    if (status !== (range ? 206 : 200)) {
      body.destroy();
      throw statusFault(status, context);
    }
    try {
      for await (const chunk of inPieces(readAtPace(body, url.host, pace))) {
        bytes += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      const isCut = error instanceof DialFault && error.kind === 'unreachable';
      if (!isCut || signal.aborted || resumed === maxResumed || bytes === 0) throw error;
    }
  }
}

/** Sockets return 64 KiB at a time. Each piece is hashed, counted, stored and sent separately. */
const pieceBytes = 2 ** 19;

/**
 * Returns pieces in two alternating buffers. Each is valid until the next but one is read. Data before a fault is
 * returned before the fault is thrown.
 */
async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)] as const;
  let isOdd = false;
  let length = 0;
  const take = () => {
    const piece = buffers[isOdd ? 1 : 0].subarray(0, length);
    isOdd = !isOdd;
    length = 0;
    return piece;
  };
  let fault: { reason: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(buffers[isOdd ? 1 : 0], length, at);
        length += copied;
        at += copied;
        if (length === pieceBytes) yield take();
      }
      letGo(chunk);
    }
  } catch (reason) {
    fault = { reason };
  }
  if (length > 0) yield take();
  if (fault) throw fault.reason;
}

/**
 * Releases the memory of a copied chunk. Otherwise, 100 MB of chunks caused up to 15 full garbage collections, which
 * took 1.3 of 3.0 s of processor time.
 */
function letGo({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** The number of retries, as in Docker. */
const maxResumed = 5;

function lies(requested: ResolvedUpstream['context'], because: string): ImageFault {
  return refusal(requested, `cannot be had: a layer of it ${because}`, 'its registry sends other content');
}
