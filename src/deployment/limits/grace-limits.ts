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
 * Those that have to go: of an owner who has too many, those whose time is over first; then, until all together hold no
 * more than they may and the disk has its room again, the same of whoever's volumes may hold the most by then. So nobody
 * who has little loses it because others have much. `missingBytes`: what the disk of the host has too little of free space.
 */
export function beyondGrace(kept: readonly Kept[], limits: GraceLimits, missingBytes: number): Forgotten[] {
  const latestFirst = kept.toSorted((a, b) => b.restorableUntil - a.restorableUntil || (a.id < b.id ? -1 : 1));
  const owners = new Map<string, { count: number; bytes: number }>();
  const forgotten: Forgotten[] = [];
  /** `heldBytes`: what its owner has in this and all later ones, which is all that they have when it is its turn. */
  const staying: (Kept & { heldBytes: number })[] = [];
  let bytes = 0;
  let missing = missingBytes;
  for (const one of latestFirst) {
    const owner = owners.getOrInsertComputed(one.owner, () => ({ count: 0, bytes: 0 }));
    owner.count += 1;
    if (owner.count > limits.perOwner) {
      forgotten.push({ id: one.id, because: 'limit' });
      missing -= one.diskBytes;
      continue;
    }
    owner.bytes += one.diskBytes;
    bytes += one.diskBytes;
    staying.push({ ...one, heldBytes: owner.bytes });
  }
  const soonestFirst = staying.filter(({ diskBytes }) => diskBytes > 0).toReversed();
  for (const { id, diskBytes } of soonestFirst.toSorted((a, b) => b.heldBytes - a.heldBytes)) {
    const isBeyond = bytes > limits.diskBytes;
    if (!isBeyond && missing <= 0) break;
    forgotten.push({ id, because: isBeyond ? 'limit' : 'room' });
    bytes -= diskBytes;
    missing -= diskBytes;
  }
  return forgotten;
}
