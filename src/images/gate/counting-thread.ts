/**
 * What layers unpack to is counted in a thread of its own: unpacking makes three bytes of garbage for each one that
 * passes, and collecting that would hold up everything else of the service.
 */
import { Worker } from 'node:worker_threads';
import { type Judge, type Packing, packingOf, type UnpackedCounter, UnpackFault } from './unpacked-bytes.ts';

/** To the thread; `id`: of a layer. */
export type CountingOrder =
  | { kind: 'begin'; id: number; packing: Exclude<Packing, 'none' | 'uncounted'> }
  | { kind: 'chunk'; id: number; piece: ArrayBuffer; length: number }
  | { kind: 'end'; id: number }
  | { kind: 'destroy'; id: number };

/** From the thread. Each chunk and each end is answered by `done` or `fault`, in order; `piece` is given back. */
export type CountingReport =
  | { kind: 'counted'; id: number; bytes: number }
  | { kind: 'done'; id: number; piece?: ArrayBuffer }
  | { kind: 'fault'; id: number; fault: UnpackFault['kind']; piece?: ArrayBuffer };

export type CountingThread = AsyncDisposable & {
  /** `head`: the first bytes, which are to be written too. Throws UnpackFault for what nobody can count. */
  count(head: Buffer, isAllowed: Judge): UnpackedCounter;
};

/** Deflate has 258 bytes in two bits; zstd repeats a byte 128 KiB long in a block of four. */
const mostRatios = { gzip: 1_032, zstd: 32_768 };

/** A piece of memory that goes to the thread and comes back. */
const pieceBytes = 2 ** 19;
const mostSpare = 16;

type Counting = { isAllowed: Judge; fault?: UnpackFault; waiting: PromiseWithResolvers<void>[] };

/** The thread starts with the first layer that is packed. */
export function openCountingThread(): CountingThread {
  const counting = new Map<number, Counting>();
  const spare: ArrayBuffer[] = [];
  let worker: Worker | undefined;
  let ids = 0;

  function start(): Worker {
    const started = new Worker(new URL('counting-worker.ts', import.meta.url), { stdout: false });
    started.unref();
    started.on('message', hear);
    // Whoever counts is told that it has failed, and the next layer starts another one.
    const over = (error: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      for (const id of counting.keys()) fail(id, new UnpackFault('broken', { cause: error }));
    };
    started.on('error', over);
    started.on('exit', over);
    return started;
  }

  function fail(id: number, fault: UnpackFault): void {
    const known = counting.get(id);
    if (!known) return;
    known.fault ??= fault;
    counting.delete(id);
    for (const { reject } of known.waiting.splice(0)) reject(known.fault);
  }

  function hear(report: CountingReport): void {
    const { id } = report;
    if (report.kind !== 'counted' && report.piece && spare.length < mostSpare) spare.push(report.piece);
    const known = counting.get(id);
    if (!known) return;
    if (report.kind === 'counted' && !known.isAllowed(report.bytes)) {
      tell({ kind: 'destroy', id });
      fail(id, new UnpackFault('too-large'));
    } else if (report.kind === 'fault') fail(id, new UnpackFault(report.fault));
    else if (report.kind === 'done') known.waiting.shift()?.resolve();
  }

  function tell(order: CountingOrder): void {
    worker?.postMessage(order, order.kind === 'chunk' ? [order.piece] : []);
  }

  function answerTo(known: Counting, order: CountingOrder): Promise<void> {
    if (known.fault) return Promise.reject(known.fault);
    const answer = Promise.withResolvers<void>();
    known.waiting.push(answer);
    tell(order);
    return answer.promise;
  }

  return {
    count(head, isAllowed) {
      const packing = packingOf(head);
      if (packing === 'uncounted') throw new UnpackFault('uncounted');
      if (packing === 'none') return countPlain(isAllowed);
      const id = ids++;
      const known: Counting = { isAllowed, waiting: [] };
      counting.set(id, known);
      worker ??= start();
      tell({ kind: 'begin', id, packing });
      return {
        mostRatio: mostRatios[packing],
        async write(chunk) {
          for (let at = 0; at < chunk.length; at += pieceBytes) {
            const part = chunk.subarray(at, at + pieceBytes);
            const piece = spare.pop() ?? new ArrayBuffer(pieceBytes);
            new Uint8Array(piece).set(part);
            await answerTo(known, { kind: 'chunk', id, piece, length: part.length });
          }
        },
        end: () => answerTo(known, { kind: 'end', id }),
        destroy() {
          tell({ kind: 'destroy', id });
          fail(id, new UnpackFault('broken'));
        },
      };
    },
    async [Symbol.asyncDispose]() {
      const ending = worker;
      worker = undefined;
      for (const id of counting.keys()) fail(id, new UnpackFault('broken'));
      await ending?.terminate();
    },
  };
}

function countPlain(isAllowed: Judge): UnpackedCounter {
  let bytes = 0;
  return {
    mostRatio: 1,
    async write(chunk) {
      bytes += chunk.length;
      if (!isAllowed(bytes)) throw new UnpackFault('too-large');
    },
    end: async () => {},
    destroy() {},
  };
}
