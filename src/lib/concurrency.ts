/** Limits concurrent work: a maximum number of tasks, or one for each key. Tasks run in the order of their calls. */

export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `width` tasks at once. */
export function createSemaphore(width: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = width;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** Runs one task at a time for each key. */
export function serializeByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const gates = new Map<string, { gate: Semaphore; users: number }>();
  return async (key, work) => {
    const entry = gates.get(key) ?? { gate: createSemaphore(1), users: 0 };
    gates.set(key, entry);
    entry.users++;
    try {
      return await entry.gate(work);
    } finally {
      entry.users--;
      if (entry.users === 0) gates.delete(key);
    }
  };
}
