/** PURE. What may be kept of deployments that have ended, beside those that run. */
import type { Instant } from '../deployment.ts';

export type Kept = {
  id: string;
  /** Whom it counts to: the account that has claimed it, else the client that has started it. */
  owner: string;
  restorableUntil: Instant;
  /** What its volumes may hold. */
  diskBytes: number;
};

export type GraceLimits = {
  /** How many each owner may have. */
  perOwner: number;
  /** What all of them together may hold. */
  diskBytes: number;
};

export type Forgotten = { id: string; because: 'limit' | 'room' };

/**
 * Those that have to go, the one whose time is over first before all others. `missingBytes`: what the disk of the host
 * has too little of free space.
 */
export function beyondGrace(kept: readonly Kept[], limits: GraceLimits, missingBytes: number): Forgotten[] {
  const latestFirst = kept.toSorted((a, b) => b.restorableUntil - a.restorableUntil || (a.id < b.id ? -1 : 1));
  const counts = new Map<string, number>();
  let bytes = 0;
  const staying: Kept[] = [];
  const forgotten: Forgotten[] = [];
  for (const one of latestFirst) {
    const count = (counts.get(one.owner) ?? 0) + 1;
    if (count > limits.perOwner || bytes + one.diskBytes > limits.diskBytes) {
      forgotten.push({ id: one.id, because: 'limit' });
      continue;
    }
    counts.set(one.owner, count);
    bytes += one.diskBytes;
    staying.push(one);
  }
  let missing = missingBytes - kept.filter(({ id }) => !staying.some((one) => one.id === id)).reduce(sumBytes, 0);
  for (const { id, diskBytes } of staying.toReversed()) {
    if (missing <= 0) break;
    if (diskBytes === 0) continue;
    forgotten.push({ id, because: 'room' });
    missing -= diskBytes;
  }
  return forgotten;
}

function sumBytes(sum: number, { diskBytes }: Kept): number {
  return sum + diskBytes;
}
