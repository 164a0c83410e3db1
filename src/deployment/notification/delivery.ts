/** PURE. When a notice is sent, sent again, and given up. */
import type { Instant } from '../deployment.ts';

/** After each try that failed: four more, within an hour and a half. */
const pausesMs = [30_000, 2 * 60_000, 15 * 60_000, 70 * 60_000];
/** Notices in a row that an address did not take, each with all of its tries. */
export const failuresToDisable = 5;

/** When to try again after so many tries; undefined: it is given up. */
export function nextTryAt(tries: number, now: Instant): Instant | undefined {
  const pause = pausesMs[tries - 1];
  return pause === undefined ? undefined : now + pause;
}

/** `failures`: notices in a row that were given up, the present one included. */
export function isToBeDisabled(failures: number): boolean {
  return failures >= failuresToDisable;
}
