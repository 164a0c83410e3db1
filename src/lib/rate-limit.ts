/** Limits a count in a period for each key, with bounded memory. */

/** At most `count` requests or bytes in `windowMs`. */
export type Rate = { count: number; windowMs: number };

export type Allowance = {
  isAllowed: boolean;
  /** The remaining number until `resetsInMs` have passed. */
  remaining: number;
  resetsInMs: number;
};

export type Limiter = {
  rate: Rate;
  /**
   * Counts one, or `amount`, for the key. `now`: milliseconds of any clock. A clock that jumps back ends the window.
   */
  take(key: string, now: number, amount?: number): Allowance;
  /** Returns the number of keys in memory. */
  size(): number;
};

/** 50,000 keys take some 10 MB. */
const maxKeys = 50_000;

/**
 * The window of a key begins with its first use. All windows are equally long, so keys expire in insertion order and
 * need no search. With more than `max` live keys, the oldest is removed, except keys that have used up their allowance.
 * Those are stored separately, so that a flood of addresses does not reset them.
 */
export function createLimiter(rate: Rate, max = maxKeys): Limiter {
  const counting: Windows = new Map();
  const exhausted: Windows = new Map();
  const isOver = ({ startedAt }: Window, now: number) => now - startedAt >= rate.windowMs || now < startedAt;

  const forget = (windows: Windows, now: number) => {
    for (const [key, window] of windows) {
      if (windows.size <= max && !isOver(window, now)) return;
      windows.delete(key);
    }
  };

  const windowOf = (key: string, now: number): Window => {
    const known = exhausted.get(key) ?? counting.get(key);
    if (known && !isOver(known, now)) return known;
    exhausted.delete(key);
    counting.delete(key);
    const window = { count: 0, startedAt: now };
    counting.set(key, window);
    forget(counting, now);
    return window;
  };

  return {
    rate,
    take(key, now, amount = 1) {
      const window = windowOf(key, now);
      window.count += amount;
      if (window.count > rate.count && counting.delete(key)) {
        exhausted.set(key, window);
        forget(exhausted, now);
      }
      return {
        isAllowed: window.count <= rate.count,
        remaining: Math.max(0, rate.count - window.count),
        resetsInMs: window.startedAt + rate.windowMs - now,
      };
    },
    size: () => counting.size + exhausted.size,
  };
}

type Window = { count: number; startedAt: number };
type Windows = Map<string, Window>;
