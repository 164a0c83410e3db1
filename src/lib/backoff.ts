/**
 * Pauses between attempts of an action that fails. They double each time, and are randomized, so that clients do not
 * retry at the same time.
 */

export type BackoffTimes = { firstMs: number; longestMs: number };

export type Backoff = {
  /** Returns the milliseconds until the next attempt. */
  next(): number;
  /** Resets the pause after a success. */
  reset(): void;
};

export function createBackoff(times: BackoffTimes, random: () => number = Math.random): Backoff {
  let failures = 0;
  return {
    next: () => backoffMs(times, ++failures, random),
    reset() {
      failures = 0;
    },
  };
}

/**
 * PURE. Returns the pause after a number of consecutive failures, at least 1: between half of the full pause and the
 * full pause (`random` from 0 to below 1).
 */
export function backoffMs({ firstMs, longestMs }: BackoffTimes, failures: number, random: () => number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs) * (0.5 + random() / 2);
}
