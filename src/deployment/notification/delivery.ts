/** PURE. Retries of notifications. */
import type { Instant } from '../deployment.ts';

/** Pauses after failed tries: four more tries within an hour and a half. */
const pausesMs = [30_000, 2 * 60_000, 15 * 60_000, 70 * 60_000];
/** The number of consecutive notifications, each with all its tries, after which an address is disabled. */
export const failuresToDisable = 5;

/** Returns when to try again; undefined: no more tries. */
export function nextTryAt(tries: number, now: Instant): Instant | undefined {
  const pause = pausesMs[tries - 1];
  return pause === undefined ? undefined : now + pause;
}

/** `failures`: consecutive failed notifications, including the present one. */
export function isToBeDisabled(failures: number): boolean {
  return failures >= failuresToDisable;
}
