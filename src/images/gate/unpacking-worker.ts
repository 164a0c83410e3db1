/** The thread that unpacks layers; `unpacking-thread.ts` starts it. */
import { createHash } from 'node:crypto';
import type { Transform } from 'node:stream';
import { parentPort } from 'node:worker_threads';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { headBytes, packingOf } from './unpacked-bytes.ts';
import type { UnpackingOrder, UnpackingReport } from './unpacking-thread.ts';

const port = parentPort!;

/** Larger pieces cost fewer changes of threads, and are slower to come by. */
const pieceBytes = 2 ** 18;
const streamOptions = { chunkSize: pieceBytes, highWaterMark: 2 ** 20 };

/** So many pieces of one layer may wait to be taken. */
const mostPieces = 8;

/** A report costs as much as counting some 100 kB. */
const tellEveryBytes = 4 * 2 ** 20;

type Layer = {
  stream: Transform;
  free(piece: ArrayBuffer): void;
  /** Chunks that it has not done with. */
  untaken: Set<ArrayBuffer>;
  isOver: boolean;
};

const layers = new Map<number, Layer>();

function tell(report: UnpackingReport): void {
  port.postMessage(report, 'piece' in report ? [report.piece] : []);
}

function begin({ id, packing, isSent }: Extract<UnpackingOrder, { kind: 'begin' }>): void {
  const stream = packing === 'gzip' ? createGunzip(streamOptions) : createZstdDecompress(streamOptions);
  const spare = createSpare();
  const layer: Layer = { stream, free: spare.put, untaken: new Set(), isOver: false };
  layers.set(id, layer);
  void unpack(id, stream, isSent ? spare : undefined).then((report) => {
    layer.isOver = true;
    // An end of the packed stream before that of the layer: what follows is not unpacked by anybody.
    for (const piece of layer.untaken) taken(id, layer, piece);
    if (layers.has(id)) tell(report);
  });
}

async function unpack(id: number, stream: Transform, spare: Spare | undefined): Promise<UnpackingReport> {
  const hash = createHash('sha256');
  let bytes = 0;
  let told = 0;
  const take = async (chunk: Buffer) => {
    hash.update(chunk);
    bytes += chunk.length;
    if (!spare) {
      if (bytes - told < tellEveryBytes) return;
      told = bytes;
      return tell({ kind: 'counted', id, bytes });
    }
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const part = chunk.subarray(at, at + pieceBytes);
      const piece = await spare.take();
      new Uint8Array(piece).set(part);
      tell({ kind: 'piece', id, piece, length: part.length });
    }
  };
  // Engines go by the first bytes of whatever comes, and would unpack it once more, uncounted.
  let head: Buffer | undefined = Buffer.alloc(0);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (!head) {
        await take(chunk);
        continue;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < headBytes) continue;
      if (packingOf(head) !== 'none') return { kind: 'packed-twice', id };
      await take(head);
      head = undefined;
    }
    if (head && packingOf(head) !== 'none') return { kind: 'packed-twice', id };
    if (head) await take(head);
    return { kind: 'over', id, unpacked: { bytes, diffId: `sha256:${hash.digest('hex')}` } };
  } catch {
    return { kind: 'broken', id };
  }
}

type Spare = { take(): Promise<ArrayBuffer>; put(piece: ArrayBuffer): void };

/** Pieces of memory that go to the other thread and come back. */
function createSpare(): Spare {
  const spare: ArrayBuffer[] = [];
  let made = 0;
  let wanted: PromiseWithResolvers<ArrayBuffer> | undefined;
  return {
    async take() {
      const found = spare.pop();
      if (found) return found;
      if (made++ < mostPieces) return new ArrayBuffer(pieceBytes);
      wanted = Promise.withResolvers();
      return await wanted.promise;
    },
    put(piece) {
      if (wanted) wanted.resolve(piece);
      else spare.push(piece);
      wanted = undefined;
    },
  };
}

function taken(id: number, layer: Layer, piece: ArrayBuffer): void {
  if (layer.untaken.delete(piece)) tell({ kind: 'taken', id, piece });
}

function write(id: number, layer: Layer, piece: ArrayBuffer, length: number): void {
  layer.untaken.add(piece);
  if (layer.isOver) taken(id, layer, piece);
  else layer.stream.write(Buffer.from(piece, 0, length), () => taken(id, layer, piece));
}

port.on('message', (order: UnpackingOrder) => {
  if (order.kind === 'begin') return begin(order);
  const layer = layers.get(order.id);
  if (!layer) return;
  switch (order.kind) {
    case 'chunk':
      write(order.id, layer, order.piece, order.length);
      break;
    case 'free':
      layer.free(order.piece);
      break;
    case 'end':
      layer.stream.end();
      break;
    case 'destroy':
      layers.delete(order.id);
      layer.stream.destroy();
  }
});
