/** Lets long work yield to other work. */
import { setImmediate as turn } from 'node:timers/promises';

/** Yields to the event loop after each `many` items: `await` the returned promise, if any. */
export function yieldEvery(many: number): () => Promise<void> | undefined {
  let count = 0;
  return () => (count++ > 0 && (count - 1) % many === 0 ? turn() : undefined);
}
