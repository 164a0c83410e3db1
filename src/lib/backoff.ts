/** Pauses between tries of something that fails: doubled each time, and spread, so that clients do not come back together. */

export type BackoffTimes = { firstMs: number; longestMs: number };

export type Backoff = {
  /** Milliseconds until the next try. */
  next(): number;
  /** It went well: the next pause is the first again. */
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
 * PURE. The pause after a number of failures in a row, at least 1: between half of the full pause and the
 * full one (`random` from 0 to below 1).
 */
export function backoffMs({ firstMs, longestMs }: BackoffTimes, failures: number, random: () => number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs) * (0.5 + random() / 2);
}
