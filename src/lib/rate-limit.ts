/** At most so many in a span of time for each key, in memory that has a bound. */

/** At most `count` in `windowMs`: of requests, or of bytes. */
export type Rate = { count: number; windowMs: number };

export type Allowance = {
  isAllowed: boolean;
  /** How many more are allowed until `resetsInMs` are over. */
  remaining: number;
  resetsInMs: number;
};

export type Limiter = {
  rate: Rate;
  /** Counts one more of this key, or so many. `now` in milliseconds, of any clock; one that jumps back ends the window. */
  take(key: string, now: number, amount?: number): Allowance;
  /** Returns the number of keys in memory. */
  size(): number;
};

/** 50,000 keys take some 10 MB. */
const maxKeys = 50_000;

/**
 * A key's window begins with its first use. Windows are equally long, so that keys expire in the order in which they
 * came, and none has to be searched for. With more than `max` live keys the oldest is forgotten, except those that
 * have used up their allowance: they are kept apart, so that a flood of addresses sets none of them free.
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
