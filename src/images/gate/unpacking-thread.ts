/**
 * Layers are unpacked in a thread of its own: that makes three bytes of garbage for each one that passes, and collecting
 * those would hold up everything else of the service.
 */
import { Worker } from 'node:worker_threads';
import type { Digest } from '../../lib/digest.ts';
import {
  headBytes,
  type Packing,
  packingOf,
  type Taker,
  type Unpacked,
  UnpackFault,
  type Unpacking,
} from './unpacked-bytes.ts';

/** To the thread; `id`: of a layer. */
export type UnpackingOrder =
  | { kind: 'begin'; id: number; packing: Exclude<Packing, 'none' | 'uncounted'>; isSent: boolean }
  | { kind: 'chunk'; id: number; piece: ArrayBuffer; length: number }
  | { kind: 'free'; id: number; piece: ArrayBuffer }
  | { kind: 'end'; id: number }
  | { kind: 'destroy'; id: number };

/** From the thread. Each chunk is answered by `taken` when it is unpacked, in order, which gives its memory back. */
export type UnpackingReport =
  | { kind: 'piece'; id: number; piece: ArrayBuffer; length: number }
  | { kind: 'counted'; id: number; bytes: number }
  | { kind: 'taken'; id: number; piece: ArrayBuffer }
  | { kind: 'over'; id: number; unpacked: Unpacked }
  | { kind: 'broken' | 'packed-twice'; id: number };

export type UnpackingThread = AsyncDisposable & {
  /** `digest`: of the layer as it comes, which is what it unpacks to where it is not packed. */
  unpack(digest: Digest, taker: Taker): Unpacking;
};

/** A piece of memory that goes to the thread and comes back. */
const pieceBytes = 2 ** 19;
const mostSpare = 16;

type Layer = {
  taker: Taker;
  bytes: number;
  /** Each for a piece that is with the thread. */
  waiting: PromiseWithResolvers<void>[];
  over: PromiseWithResolvers<Unpacked>;
};

/** The thread starts with the first layer that is packed. */
export function openUnpackingThread(): UnpackingThread {
  const layers = new Map<number, Layer>();
  const spare: ArrayBuffer[] = [];
  let worker: Worker | undefined;
  let ids = 0;

  function start(): Worker {
    const started = new Worker(new URL('unpacking-worker.ts', import.meta.url), { stdout: false });
    started.unref();
    started.on('message', hear);
    // Whoever waits is told that it has failed, and the next layer starts another one.
    const over = (error: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      // That is no fault of the images: their layers are asked for again.
      for (const id of layers.keys()) fail(id, new Error('the thread that unpacks layers has ended', { cause: error }));
    };
    started.on('error', over);
    started.on('exit', over);
    return started;
  }

  function tell(order: UnpackingOrder): void {
    worker?.postMessage(order, 'piece' in order ? [order.piece] : []);
  }

  function fail(id: number, reason: unknown): void {
    const layer = layers.get(id);
    if (!layer) return;
    layers.delete(id);
    tell({ kind: 'destroy', id });
    layer.over.reject(reason);
    for (const { reject } of layer.waiting) reject(reason);
  }

  function hear(report: UnpackingReport): void {
    const { id } = report;
    if (report.kind === 'taken' && spare.length < mostSpare) spare.push(report.piece);
    const layer = layers.get(id);
    if (!layer) return;
    switch (report.kind) {
      case 'piece':
        pass(id, layer, report);
        break;
      case 'counted':
        if (!layer.taker.isAllowed(report.bytes)) fail(id, new UnpackFault('too-large'));
        break;
      case 'taken':
        layer.waiting.shift()?.resolve();
        break;
      case 'over':
        if (layer.taker.isAllowed(report.unpacked.bytes)) layer.over.resolve(report.unpacked);
        else fail(id, new UnpackFault('too-large'));
        break;
      case 'broken':
      case 'packed-twice':
        fail(id, new UnpackFault(report.kind));
    }
  }

  function pass(id: number, layer: Layer, { piece, length }: Extract<UnpackingReport, { kind: 'piece' }>): void {
    layer.bytes += length;
    if (!layer.taker.isAllowed(layer.bytes)) {
      fail(id, new UnpackFault('too-large'));
      return;
    }
    layer.taker.take!(new Uint8Array(piece, 0, length)).then(
      () => tell({ kind: 'free', id, piece }),
      (reason) => fail(id, reason),
    );
  }

  function unpackPacked(packing: 'gzip' | 'zstd', taker: Taker): Unpacking {
    const id = ids++;
    const over = Promise.withResolvers<Unpacked>();
    over.promise.catch(() => {});
    const layer: Layer = { taker, bytes: 0, waiting: [], over };
    layers.set(id, layer);
    worker ??= start();
    tell({ kind: 'begin', id, packing, isSent: taker.take !== undefined });
    let last: Promise<void> = Promise.resolve();
    /** Rejects at once where it has failed. */
    const send = async (chunk: Buffer) => {
      const answers: Promise<void>[] = [];
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        if (!layers.has(id)) break;
        const part = chunk.subarray(at, at + pieceBytes);
        const piece = spare.pop() ?? new ArrayBuffer(pieceBytes);
        new Uint8Array(piece).set(part);
        const answer = Promise.withResolvers<void>();
        layer.waiting.push(answer);
        answers.push(answer.promise);
        tell({ kind: 'chunk', id, piece, length: part.length });
      }
      await Promise.all(answers);
      if (!layers.has(id)) await over.promise;
    };
    return {
      async write(chunk) {
        const before = last;
        last = send(chunk);
        last.catch(() => {});
        await before;
      },
      async end() {
        await last;
        tell({ kind: 'end', id });
        return await over.promise;
      },
      destroy: () => fail(id, new UnpackFault('broken')),
    };
  }

  function unpackAs(packing: Packing, digest: Digest, taker: Taker): Unpacking {
    if (packing === 'uncounted') throw new UnpackFault('uncounted');
    return packing === 'none' ? passPlain(digest, taker) : unpackPacked(packing, taker);
  }

  return {
    unpack(digest, taker) {
      let head: Buffer = Buffer.alloc(0);
      let begun: Unpacking | undefined;
      const begin = () => {
        begun = unpackAs(packingOf(head), digest, taker);
        return begun;
      };
      return {
        async write(chunk) {
          if (begun) return await begun.write(chunk);
          head = Buffer.concat([head, chunk]);
          if (head.length >= headBytes) await begin().write(head);
        },
        async end() {
          if (begun) return await begun.end();
          const unpacking = begin();
          await unpacking.write(head);
          return await unpacking.end();
        },
        destroy: () => begun?.destroy(),
      };
    },
    async [Symbol.asyncDispose]() {
      const ending = worker;
      worker = undefined;
      for (const id of layers.keys()) fail(id, new UnpackFault('broken'));
      await ending?.terminate();
    },
  };
}

function passPlain(digest: Digest, { isAllowed, take }: Taker): Unpacking {
  let bytes = 0;
  return {
    async write(chunk) {
      bytes += chunk.length;
      if (!isAllowed(bytes)) throw new UnpackFault('too-large');
      await take?.(chunk);
    },
    end: async () => ({ bytes, diffId: digest }),
    destroy() {},
  };
}
