/**
 * PURE. Who takes so much of the processor that the others go first. A program that answers a visitor needs it for a
 * moment and then waits; one that computes all the time, or bursts until its limit stops it, is what it waits for.
 */

/** What a container has used by now. Milliseconds; `atMs` by a clock that never jumps. */
export type ProcessorUse = { usedMs: number; atMs: number };

/** `sinceMs`: since when it has been greedy, or has not. */
export type Appetite = ProcessorUse & { isGreedy: boolean; sinceMs: number };

/** Of its limit. Most servers are below a tenth of it; one just below this costs the others half as much. */
const greedyShare = 0.5;

/** A start of Node takes 0.1 s, of PostgreSQL 0.9 s, a build longer: nobody minds that one of these takes its time. */
const patienceMs = 2_000;

/** Whoever attacks in turns would go first at the beginning of each. */
const calmMs = 30_000;

/** `before`: at the look before; absent at the first one. `limitMillis`: 1000 for one processor. */
export function followAppetite(before: Appetite | undefined, use: ProcessorUse, limitMillis: number): Appetite {
  // It has less than before: it was started again.
  if (!before || use.usedMs < before.usedMs) return { ...use, isGreedy: false, sinceMs: use.atMs };
  const allowedMs = ((use.atMs - before.atMs) * limitMillis) / 1000;
  const isGreedy = use.usedMs - before.usedMs > greedyShare * allowedMs;
  return { ...use, isGreedy, sinceMs: isGreedy === before.isGreedy ? before.sinceMs : before.atMs };
}

/** Whether it has to give way from now on; `givesWay`: whether it does already. */
export function mustGiveWay({ isGreedy, sinceMs, atMs }: Appetite, givesWay: boolean): boolean {
  const forMs = atMs - sinceMs;
  return isGreedy ? givesWay || forMs >= patienceMs : givesWay && forMs < calmMs;
}
