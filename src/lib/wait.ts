/** Waiting, passed in like the clock, so that tests with simulated time do not wait. */
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or at the abort; never rejects. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

/** The maximum delay of a timer in Node: 25 days. A longer one would end at once. */
const longestMs = 2 ** 31 - 1;

export const wait: Wait = async (ms, signal) => {
  await delay(Math.min(ms, longestMs), undefined, signal && { signal }).catch(() => {});
};

/** Waiting that can be given up. The command waits so too, in Node 20, which has no `Promise.withResolvers`. */

/** The result of `work`, unless the signal aborts first: then rejects with its reason, and ignores the result. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => {});
  }
}
