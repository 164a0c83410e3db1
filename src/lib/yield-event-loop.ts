/** Lets long work yield to other work. */
import { setImmediate as turn } from 'node:timers/promises';

/** Lets others have the event loop before each further one of so many things: `await` what it answers, if anything. */
export function yieldEvery(many: number): () => Promise<void> | undefined {
  let count = 0;
  return () => (count++ > 0 && (count - 1) % many === 0 ? turn() : undefined);
}
