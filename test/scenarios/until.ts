/** Waiting for what comes by itself. */
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than any wait takes on an overloaded machine. A test that waits longer has failed. */
const patienceMs = 600_000;

/** Polls until `look` returns something truthy, and returns it. The interval grows with the time that has passed. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<NonNullable<T>> {
  const startedMs = performance.now();
  for (;;) {
    const found = await look();
    if (found) return found;
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs > patienceMs) throw new Error(`not true after ten minutes: ${what}`);
    await delay(Math.min(Math.max(elapsedMs / 10, 20), 150));
  }
}
