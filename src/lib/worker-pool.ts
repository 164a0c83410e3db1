/**
 * Runs untrusted work in separate threads. A thread that exceeds the limit of processor time or memory is terminated
 * and replaced. Libraries for pools limit wall-clock time, which on a busy machine ends legitimate work; this one
 * counts the thread's processor time.
 */
import { parentPort, Worker } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';

export type PoolOptions = {
  /** A module that calls `serveWork`. */
  file: URL;
  /** The maximum number of threads. Each starts when it is needed. */
  width: number;
  /** The maximum processor time of one task. */
  budgetMs: number;
  /** Memory of one thread. */
  memoryMib: number;
  /** A thread without work ends after so long. */
  idleMs: number;
  /** The maximum number of waiting and running tasks, of one client and in total. */
  max: { each: number; all: number };
};

export type Outcome<Answer> =
  | { kind: 'done'; answer: Answer }
  /** The task exceeded its processor time. */
  | { kind: 'costly' }
  /** The task did not start: too many tasks of this client, or of all clients, are waiting. */
  | { kind: 'refused'; because: 'client' | 'all' };

export type Pool<Question, Answer> = {
  /** Rejects where the work throws, and when the pool is closed. */
  run(client: string, question: Question): Promise<Outcome<Answer>>;
  /** Ends all threads at once, with their running tasks. */
  close(): Promise<void>;
};

/**
 * Messages of a thread: that it is ready, and the result of each piece of work, with its processor time since its
 * start.
 */
type Said<Answer> = { usedMs: number } & ({ answer: Answer } | { fault: unknown } | { isReady: true });
type Reply<Answer> = Exclude<Said<Answer>, { isReady: true }>;

type Job<Question, Answer> = {
  client: string;
  question: Question;
  settle: (outcome: Outcome<Answer>) => void;
  fail: (error: unknown) => void;
};

const lookEveryMs = 100;

export function createPool<Question, Answer>(options: PoolOptions): Pool<Question, Answer> {
  const { width, max } = options;
  const queue = createFairQueue<Job<Question, Answer>>({ max: max.each });
  const idle: Thread<Question, Answer>[] = [];
  const threads = new Set<Thread<Question, Answer>>();
  let present = 0;
  let isClosed = false;

  const next = () => {
    while (!isClosed && (idle.length > 0 || threads.size < width)) {
      const taken = queue.take();
      if (!taken) return;
      void serve(taken.entry);
    }
  };

  const serve = async (job: Job<Question, Answer>) => {
    const thread = idle.pop() ?? startThread<Question, Answer>(options, forget);
    threads.add(thread);
    await thread.work(job.question).then(job.settle, job.fail);
    queue.done(job.client);
    if (thread.isAlive()) idle.push(thread);
    next();
  };

  const forget = (thread: Thread<Question, Answer>) => {
    threads.delete(thread);
    const place = idle.indexOf(thread);
    if (place >= 0) idle.splice(place, 1);
    next();
  };

  return {
    async run(client, question) {
      if (isClosed) throw new Error('the pool is closed');
      if (present >= max.all) return { kind: 'refused', because: 'all' };
      present += 1;
      try {
        return await new Promise<Outcome<Answer>>((settle, fail) => {
          if (queue.put(client, { client, question, settle, fail })) next();
          else settle({ kind: 'refused', because: 'client' });
        });
      } finally {
        present -= 1;
      }
    },
    async close() {
      isClosed = true;
      for (const { fail } of queue.clear()) fail(new Error('the pool is closed'));
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

type Thread<Question, Answer> = {
  work(question: Question): Promise<Outcome<Answer>>;
  isAlive(): boolean;
  end(): Promise<void>;
};

/** Starts a thread. It keeps this process alive only while it works. `ended` is called when it accepts no more work. */
function startThread<Question, Answer>(
  { file, budgetMs, memoryMib, idleMs }: PoolOptions,
  ended: (thread: Thread<Question, Answer>) => void,
): Thread<Question, Answer> {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memoryMib } });
  worker.unref();
  let isAlive = true;
  let isCostly = false;
  /** Processor time until the end of its previous work. Starting the thread does not count. */
  let usedMs = Number.POSITIVE_INFINITY;
  let current: PromiseWithResolvers<Reply<Answer>> | undefined;

  const leave = (error?: unknown) => {
    current?.reject(error);
    if (!isAlive) return;
    isAlive = false;
    ended(thread);
  };
  const end = async () => {
    leave(new Error('a thread was ended in its work'));
    await worker.terminate();
  };
  const watch = async () => {
    // If the worker ends in between, the result is undefined.
    const used = await worker.cpuUsage().catch(() => undefined);
    if (!current || !used || (used.user + used.system) / 1000 - usedMs <= budgetMs) return;
    isCostly = true;
    await end();
  };
  worker.on('message', (said: Said<Answer>) => {
    usedMs = said.usedMs;
    if (!('isReady' in said)) current?.resolve(said);
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    isCostly ||= error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    leave(error);
  });
  worker.on('exit', () => leave(new Error('a thread has ended in its work')));

  let tired: NodeJS.Timeout | undefined;
  const thread: Thread<Question, Answer> = {
    isAlive: () => isAlive,
    end,
    async work(question) {
      clearTimeout(tired);
      worker.ref();
      current = Promise.withResolvers();
      worker.postMessage(question);
      const looks = setInterval(watch, lookEveryMs);
      try {
        const said = await current.promise;
        if ('fault' in said) throw said.fault;
        return { kind: 'done', answer: said.answer };
      } catch (error) {
        if (isCostly) return { kind: 'costly' };
        throw error;
      } finally {
        clearInterval(looks);
        current = undefined;
        worker.unref();
        tired = setTimeout(end, idleMs).unref();
      }
    },
  };
  return thread;
}

/** In the thread: processes every task until the pool ends the thread. */
export function serveWork<Question, Answer>(work: (question: Question) => Answer | Promise<Answer>): void {
  const say = (said: { answer: Answer } | { fault: unknown } | { isReady: true }) => {
    const { user, system } = process.threadCpuUsage();
    parentPort!.postMessage({ ...said, usedMs: (user + system) / 1000 } satisfies Said<Answer>);
  };
  parentPort!.on('message', async (question: Question) => {
    let answer: Answer;
    try {
      answer = await work(question);
    } catch (fault) {
      return say({ fault });
    }
    say({ answer });
  });
  say({ isReady: true });
}
