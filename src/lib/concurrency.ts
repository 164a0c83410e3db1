/** Who may go when: a bounded number at once, or one after another per key. First come, first served. */

export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `width` pieces of work at once. */
export function createGate(width: number): Gate {
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
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const gates = new Map<string, { gate: Gate; users: number }>();
  return async (key, work) => {
    const entry = gates.get(key) ?? { gate: createGate(1), users: 0 };
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
