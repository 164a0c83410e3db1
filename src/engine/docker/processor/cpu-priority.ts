/**
 * PURE. Decides which containers use so much processor time that others get priority. A program that responds to a
 * visitor needs it for a moment and then waits. A program that computes constantly, or in bursts until it is throttled,
 * delays the others.
 */

/** Processor time that a container has used. Milliseconds; `atMs` is monotonic. */
export type ProcessorUse = { usedMs: number; atMs: number };

/** `sinceMs`: since when it has been greedy, or has not. */
export type CpuDemand = ProcessorUse & { isGreedy: boolean; sinceMs: number };

/**
 * The share of its limit above which a container counts as greedy. Most servers use less than a tenth. A container just
 * below this share costs the others half as much.
 */
const greedyShare = 0.5;

/** Node starts in 0.1 s, PostgreSQL in 0.9 s. A build takes longer and may slow down. */
const patienceMs = 2_000;

/** With a shorter time, an attack in bursts would have priority at the beginning of each burst. */
const calmMs = 30_000;

/** `before`: the previous state. Absent at the first measurement. `limitMillis`: 1000 for one processor. */
export function updateDemand(before: CpuDemand | undefined, use: ProcessorUse, limitMillis: number): CpuDemand {
  // The value is lower than before, so the container was restarted.
  if (!before || use.usedMs < before.usedMs) return { ...use, isGreedy: false, sinceMs: use.atMs };
  const allowedMs = ((use.atMs - before.atMs) * limitMillis) / 1000;
  const isGreedy = use.usedMs - before.usedMs > greedyShare * allowedMs;
  return { ...use, isGreedy, sinceMs: isGreedy === before.isGreedy ? before.sinceMs : before.atMs };
}

/** Returns whether the container must yield from now on. `givesWay`: whether it yields already. */
export function mustYield({ isGreedy, sinceMs, atMs }: CpuDemand, isYielding: boolean): boolean {
  const forMs = atMs - sinceMs;
  return isGreedy ? isYielding || forMs >= patienceMs : isYielding && forMs < calmMs;
}
