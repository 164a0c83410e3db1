/**
 * Work that waits for remote servers, for many clients, with a limit of concurrent tasks in total and per client. When
 * a task ends, the next one starts, of the client with the fewest running tasks. A client with slow servers delays
 * others by at most one task.
 */

export type FairWork<T> = {
  /** Returns the work that is due now, most urgent first. It may include work in progress. */
  due: () => Promise<readonly T[]>;
  /**
   * Identifies one attempt. A run starts each key once, so a task that fails immediately is not retried immediately.
   */
  keyOf: (task: T) => string;
  clientOf: (task: T) => string;
  /** A rejection only ends its own task. The first rejection is thrown when all tasks have ended. */
  work: (task: T) => Promise<void>;
  most: number;
  maxOfClient: number;
  /** Starts nothing more and waits for the work in progress. */
  signal?: AbortSignal | undefined;
};

export type FairWorker = {
  /** Processes all due work. Resolves when no work is due or in progress; throws the first fault. */
  run(): Promise<void>;
  /** New tasks may be due. A run that is in progress checks again. */
  lookAgain(): void;
};

export function createFairWorker<T>(options: FairWork<T>): FairWorker {
  const { due, keyOf, clientOf, work, most, maxOfClient, signal } = options;
  const underWay = new Map<string, string>();
  let changed = Promise.withResolvers<void>();
  const note = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const ofClient = (client: string) => [...underWay.values()].filter((each) => each === client).length;

  /** Returns the next task; undefined if none may start. */
  function next(tasks: readonly T[], begun: ReadonlySet<string>): T | undefined {
    if (underWay.size >= most) return undefined;
    const waiting = tasks.filter((task) => !begun.has(keyOf(task)) && ofClient(clientOf(task)) < maxOfClient);
    return waiting.toSorted((a, b) => ofClient(clientOf(a)) - ofClient(clientOf(b)))[0];
  }

  return {
    lookAgain: note,
    async run() {
      const faults: unknown[] = [];
      const begun = new Set<string>();
      for (;;) {
        const ended = changed.promise;
        const tasks = underWay.size < most && !signal?.aborted ? await due() : [];
        for (let task = next(tasks, begun); task !== undefined; task = next(tasks, begun)) {
          const key = keyOf(task);
          begun.add(key);
          underWay.set(key, clientOf(task));
          void work(task)
            .catch((fault: unknown) => faults.push(fault))
            .finally(() => {
              underWay.delete(key);
              note();
            });
        }
        if (underWay.size === 0) break;
        await ended;
      }
      if (faults.length > 0) throw faults[0];
    },
  };
}
