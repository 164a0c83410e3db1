/** The program that unpacks layers to count them; `layer-counter.ts` starts it. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { filePieces, writePiece } from '../blobs/file-pieces.ts';
import type { CountOrder, CountReport } from './layer-counter.ts';
import { type Count, headBytes, type Packing, packingOf } from './packing.ts';

const pieceBytes = 2 ** 18;
const underWay = new Map<number, AbortController>();

class Flaw extends Error {
  readonly count: Count;

  constructor(count: Count) {
    super(count.kind);
    this.count = count;
  }
}

// The service has ended.
process.on('disconnect', () => process.exit());

process.on('message', (order: CountOrder) => {
  if (order.kind === 'cancel') return underWay.get(order.id)?.abort();
  const cancelled = new AbortController();
  underWay.set(order.id, cancelled);
  const { id } = order;
  const unpacked = { bytes: 0 };
  const report = (said: CountReport) => {
    underWay.delete(id);
    process.send?.(said);
  };
  count(order, unpacked, cancelled.signal).then(
    (counted) => report({ id, ...unpacked, count: counted }),
    ({ message, code }: Error & { code?: string }) => report({ id, ...unpacked, fault: { message, code } }),
  );
});

/** Adds up the unpacked bytes in `unpacked`. Throws if the disk fails or the count is canceled. */
async function count(
  { path, maxBytes, outPath }: Extract<CountOrder, { kind: 'count' }>,
  unpacked: { bytes: number },
  signal: AbortSignal,
): Promise<Count> {
  await using file = await open(path, 'r');
  await using out = outPath === undefined ? null : await open(outPath, 'r+');
  const { buffer: head, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const packing = packingOf(head.subarray(0, bytesRead));
  if (packing === 'uncounted') return { kind: 'flawed', flaw: 'uncounted' };
  const hash = createHash('sha256');
  const isRefused = packing === 'none' ? () => false : createInnerCheck();
  // The files are closed at the end, so no operation on them may be pending.
  let reading: Promise<unknown> | undefined;
  const source = async function* () {
    const pieces = filePieces(file.fd, pieceBytes);
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
      if (unpacked.bytes + chunk.length > maxBytes) throw new Flaw({ kind: 'too-large' });
      if (isRefused(chunk)) throw new Flaw({ kind: 'flawed', flaw: 'packed-twice' });
      hash.update(chunk);
      if (out) {
        const written = writePiece(out.fd, chunk, unpacked.bytes);
        writing = written.catch(() => {});
        await written;
      }
      unpacked.bytes += chunk.length;
    }
  };
  try {
    await pipeline(source, unpackerOf(packing), take, { signal });
  } catch (error) {
    if (error instanceof Flaw) return error.count;
    if (!signal.aborted && /^(Z_|ZSTD_)/.test((error as NodeJS.ErrnoException).code ?? ''))
      return { kind: 'flawed', flaw: 'broken' };
    throw error;
  } finally {
    await Promise.all([reading, writing]);
  }
  return { kind: 'counted', unpacked: { bytes: unpacked.bytes, diffId: `sha256:${hash.digest('hex')}`, packing } };
}

function unpackerOf(packing: Exclude<Packing, 'uncounted'>): Transform {
  const options = { chunkSize: pieceBytes };
  if (packing === 'none') return new PassThrough({ highWaterMark: pieceBytes });
  return packing === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
}

/** Engines detect compression by the first bytes, and would unpack such a layer a second time, without a limit. */
function createInnerCheck(): (chunk: Buffer) => boolean {
  let head: Buffer = Buffer.alloc(0);
  return (chunk) => {
    if (head.length >= headBytes) return false;
    head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
    return packingOf(head) !== 'none';
  };
}
