/** How much work runs at the same time: a bounded number of pieces, or one for each key. First come, first served. */

export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `width` pieces of work at once. */
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

/** One piece of work at a time for each key. */
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
