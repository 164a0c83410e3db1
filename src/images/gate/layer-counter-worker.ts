/** The thread that unpacks layers to count them; `layer-counter.ts` starts it. */
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parentPort } from 'node:worker_threads';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { filePieces, writePiece } from '../blobs/file-pieces.ts';
import type { CountOrder, CountReport } from './layer-counter.ts';
import { type Count, headBytes, type Packing, packingOf } from './packing.ts';

const port = parentPort!;
const pieceBytes = 2 ** 18;
const underWay = new Map<number, AbortController>();

class Flaw extends Error {
  readonly count: Count;

  constructor(count: Count) {
    super(count.kind);
    this.count = count;
  }
}

port.on('message', (order: CountOrder) => {
  if (order.kind === 'cancel') return underWay.get(order.id)?.abort();
  const cancelled = new AbortController();
  underWay.set(order.id, cancelled);
  const report = (said: CountReport) => {
    underWay.delete(order.id);
    port.postMessage(said);
  };
  count(order, cancelled.signal).then(
    (counted) => report({ id: order.id, count: counted }),
    (error: Error & { code?: string }) => report({ id: order.id, fault: { message: error.message, code: error.code } }),
  );
});

/** Throws if the disk fails or the count is canceled. */
async function count(
  { fd, mostBytes, outFd }: Extract<CountOrder, { kind: 'count' }>,
  signal: AbortSignal,
): Promise<Count> {
  const head = Buffer.alloc(headBytes);
  const packing = packingOf(head.subarray(0, readSync(fd, head, 0, headBytes, 0)));
  if (packing === 'uncounted') return { kind: 'flawed', flaw: 'uncounted' };
  const hash = createHash('sha256');
  const isRefused = packing === 'none' ? () => false : createInnerCheck();
  let bytes = 0;
  const unpacker = unpackerOf(packing);
  // The caller may close the files after the report, so no operation on them may be pending.
  let reading: Promise<unknown> | undefined;
  const pieces = filePieces(fd, pieceBytes);
  const source = async function* () {
    for (;;) {
      const next = pieces.next();
      reading = next.catch(() => {});
      const { done, value } = await next;
      if (done) return;
      yield value;
    }
  };
  let writing: Promise<unknown> | undefined;
  const take = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      if (bytes + chunk.length > mostBytes) throw new Flaw({ kind: 'too-large' });
      if (isRefused(chunk)) throw new Flaw({ kind: 'flawed', flaw: 'packed-twice' });
      hash.update(chunk);
      if (outFd !== undefined) {
        const written = writePiece(outFd, chunk, bytes);
        writing = written.catch(() => {});
        await written;
      }
      bytes += chunk.length;
    }
  };
  try {
    await pipeline(source, unpacker, take, { signal });
  } catch (error) {
    if (error instanceof Flaw) return error.count;
    if (!signal.aborted && /^(Z_|ZSTD_)/.test((error as NodeJS.ErrnoException).code ?? ''))
      return { kind: 'flawed', flaw: 'broken' };
    throw error;
  } finally {
    await Promise.all([reading, writing]);
  }
  return { kind: 'counted', unpacked: { bytes, diffId: `sha256:${hash.digest('hex')}`, packing } };
}

function unpackerOf(packing: Exclude<Packing, 'uncounted'>): Transform {
  const options = { chunkSize: pieceBytes };
  if (packing === 'none') return new PassThrough({ highWaterMark: pieceBytes });
  return packing === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
}

/** Engines detect compression by the first bytes, and would unpack such a layer a second time, uncounted. */
function createInnerCheck(): (chunk: Buffer) => boolean {
  let head: Buffer = Buffer.alloc(0);
  return (chunk) => {
    if (head.length >= headBytes) return false;
    head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
    return packingOf(head) !== 'none';
  };
}
