/** Waiting, passed in like the clock, so that tests with simulated time do not wait. */
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or at the abort; never rejects. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

/** The maximum delay of a timer in Node: 25 days. A longer one would end at once. */
const longestMs = 2 ** 31 - 1;

export const wait: Wait = async (ms, signal) => {
  await delay(Math.min(ms, longestMs), undefined, signal && { signal }).catch(() => {});
};
