/**
 * Computes the unpacked size of layers in a low-priority process, because unpacking uses whole processors and creates
 * three bytes of garbage per byte. A thread would share the pool that reads files and resolves names. The unpacked size
 * is only known at the end. Therefore each layer begins in a lane for small layers. A larger layer is started again in
 * a lane for large ones. A few hundred bombs of other clients then delay a small layer by seconds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { programEnvironment } from '../../lib/run-program.ts';
import type { Count } from './packing.ts';

const program = fileURLToPath(new URL('layer-counter-worker.ts', import.meta.url));
const niceness = '10';

/** Layers up to this unpacked size are processed in the lane for small ones. It takes about half a second. */
const smallBytes = 2 ** 28;

/** Slots in a lane. A client always leaves one for others. */
const lanes = { small: { places: 3, ofClient: 2 }, large: { places: 2, ofClient: 1 } };

export type CountOrder =
  | { kind: 'count'; id: number; path: string; maxBytes: number; outPath?: string | undefined }
  | { kind: 'cancel'; id: number };

/** `bytes`: what was unpacked, however it ended. */
export type CountReport = { id: number; bytes: number } & (
  | { count: Count }
  | { fault: { message: string; code?: string | undefined } }
);

export type Counting = {
  /** The client that the layer is charged to. */
  payer: string;
  file: FileHandle;
  /** More than this is not unpacked. */
  maxBytes: number;
  /** Receives the unpacked bytes. */
  out?: FileHandle | undefined;
};

export type LayerCounter = AsyncDisposable & {
  /** The files may be closed when the promise settles. Throws an Error if the disk or the process fails. */
  count(counting: Counting, signal: AbortSignal): Promise<Count>;
};

type UnderWay = { payer: string; done: PromiseWithResolvers<Count> };

type Job = { counting: Counting; signal: AbortSignal; done: PromiseWithResolvers<Count> };

/** Runs jobs concurrently up to the lane's slots, taking clients in turn. */
function createLane({ places, ofClient }: { places: number; ofClient: number }, run: (job: Job) => Promise<Count>) {
  const queue = createFairQueue<Job>({ max: Number.POSITIVE_INFINITY, atOnce: ofClient });
  let running = 0;

  function next(): void {
    while (running < places) {
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
    async count(counting: Counting, signal: AbortSignal): Promise<Count> {
      const done = Promise.withResolvers<Count>();
      queue.put(counting.payer, { counting, signal, done });
      next();
      return await done.promise;
    },
    close(): void {
      for (const { done } of queue.clear()) done.reject(new Error('the counter of layers is closed'));
    },
  };
}

/** `spend` is called after each layer with the bytes that were unpacked, whether it was refused or not. */
export function openLayerCounter(spend: (payer: string, bytes: number) => void = () => {}): LayerCounter {
  const small = createLane(lanes.small, run);
  const large = createLane(lanes.large, run);
  const underWay = new Map<number, UnderWay>();
  let worker: ChildProcess | undefined;
  let ids = 0;

  function start(): ChildProcess {
    const started = spawn('nice', ['-n', niceness, process.execPath, program], {
      env: programEnvironment,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.unref();
    started.channel?.unref();
    started.on('message', (report: CountReport) => {
      const job = underWay.get(report.id);
      underWay.delete(report.id);
      if (!job) return;
      spend(job.payer, report.bytes);
      if ('count' in report) job.done.resolve(report.count);
      else job.done.reject(Object.assign(new Error(report.fault.message), { code: report.fault.code }));
    });
    const over = (error: unknown) => {
      if (worker === started) worker = undefined;
      const fault = new Error('the process that counts layers has ended', { cause: error });
      for (const { done } of underWay.values()) done.reject(fault);
      underWay.clear();
    };
    started.on('error', over);
    started.on('exit', over);
    return started;
  }

  async function run({ counting, signal }: Job): Promise<Count> {
    signal.throwIfAborted();
    const { payer, file, maxBytes, out } = counting;
    const id = ids++;
    const done = Promise.withResolvers<Count>();
    underWay.set(id, { payer, done });
    // A fault of the channel ends the process too.
    const send = (order: CountOrder) => worker?.send(order, () => {});
    worker ??= start();
    send({ kind: 'count', id, path: pathOf(file), maxBytes, outPath: out && pathOf(out) });
    const cancel = () => send({ kind: 'cancel', id });
    signal.addEventListener('abort', cancel, { once: true });
    return await done.promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  return {
    async count(counting, signal) {
      const maxBytes = Math.min(counting.maxBytes, smallBytes);
      const counted = await small.count({ ...counting, maxBytes }, signal);
      const isLarge = counted.kind === 'too-large' && maxBytes < counting.maxBytes;
      return isLarge ? await large.count(counting, signal) : counted;
    },
    async [Symbol.asyncDispose]() {
      small.close();
      large.close();
      worker?.kill('SIGKILL');
    },
  };
}

/** Returns the path by which a process of the same user can open a file that is open here, even if it has no name. */
function pathOf({ fd }: FileHandle): string {
  return `/proc/${process.pid}/fd/${fd}`;
}
