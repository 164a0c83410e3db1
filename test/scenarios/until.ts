/** Waiting for what comes by itself. */
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than anything takes on a machine with many times its work; a test that runs into it has failed. */
const patienceMs = 900_000;

/** Polls until `look` answers something truthy, and returns it; who waits long leaves the processor to the others. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<NonNullable<T>> {
  const startedMs = performance.now();
  for (;;) {
    const found = await look();
    if (found) return found;
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs > patienceMs) throw new Error(`still not so after fifteen minutes: ${what}`);
    await delay(Math.min(Math.max(elapsedMs / 10, 20), 150));
  }
}
