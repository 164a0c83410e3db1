/**
 * Counts what layers unpack to, in a thread of its own: unpacking makes three bytes of garbage for each byte, and
 * collecting that would hold up everything else. Each client has two layers counted at a time.
 */
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Count } from './packing.ts';

/** One more than a client may have: its bombs do not delay the image of another client. */
const mostAtOnce = 3;
const mostOfClient = 2;

export type CountOrder =
  | { kind: 'count'; id: number; fd: number; mostBytes: number; outFd?: number | undefined }
  | { kind: 'cancel'; id: number };

export type CountReport = { id: number } & (
  | { count: Count }
  | { fault: { message: string; code?: string | undefined } }
);

export type Counting = {
  /** Whose layer it is. */
  payer: string;
  file: FileHandle;
  /** More than this is not unpacked. */
  mostBytes: number;
  /** Receives the unpacked bytes. */
  out?: FileHandle | undefined;
};

export type LayerCounter = AsyncDisposable & {
  /** The files may be closed when the promise settles. Throws an Error if the disk or the thread fails. */
  count(counting: Counting, signal: AbortSignal): Promise<Count>;
};

type Job = { counting: Counting; signal: AbortSignal; done: PromiseWithResolvers<Count> };

export function openLayerCounter(): LayerCounter {
  const queue = createFairQueue<Job>({ max: Number.POSITIVE_INFINITY, atOnce: mostOfClient });
  const underWay = new Map<number, PromiseWithResolvers<Count>>();
  let worker: Worker | undefined;
  let running = 0;
  let ids = 0;

  function start(): Worker {
    const started = new Worker(new URL('layer-counter-worker.ts', import.meta.url));
    started.unref();
    started.on('message', (report: CountReport) => {
      const job = underWay.get(report.id);
      underWay.delete(report.id);
      if ('count' in report) job?.resolve(report.count);
      else job?.reject(Object.assign(new Error(report.fault.message), { code: report.fault.code }));
    });
    const over = (error: unknown) => {
      if (worker === started) worker = undefined;
      const fault = new Error('the thread that counts layers has ended', { cause: error });
      for (const { reject } of underWay.values()) reject(fault);
      underWay.clear();
    };
    started.on('error', over);
    started.on('exit', over);
    return started;
  }

  async function run({ counting, signal }: Job): Promise<Count> {
    signal.throwIfAborted();
    const { file, mostBytes, out } = counting;
    const id = ids++;
    const done = Promise.withResolvers<Count>();
    underWay.set(id, done);
    const send = (order: CountOrder) => worker?.postMessage(order);
    worker ??= start();
    send({ kind: 'count', id, fd: file.fd, mostBytes, outFd: out?.fd });
    const cancel = () => send({ kind: 'cancel', id });
    signal.addEventListener('abort', cancel, { once: true });
    return await done.promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  function next(): void {
    while (running < mostAtOnce) {
      const taken = queue.take();
      if (!taken) return;
      const { client, entry } = taken;
      running++;
      run(entry)
        .then(entry.done.resolve, entry.done.reject)
        .finally(() => {
          running--;
          queue.done(client);
          next();
        });
    }
  }

  return {
    async count(counting, signal) {
      const done = Promise.withResolvers<Count>();
      queue.put(counting.payer, { counting, signal, done });
      next();
      return await done.promise;
    },
    async [Symbol.asyncDispose]() {
      for (const { done } of queue.clear()) done.reject(new Error('the counter of layers is closed'));
      await worker?.terminate();
    },
  };
}
