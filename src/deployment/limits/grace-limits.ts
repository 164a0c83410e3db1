/** PURE. Limits of the retained data of ended deployments. */
import type { Instant } from '../deployment.ts';

export type RetainedDeployment = {
  id: string;
  /** The owner: the account that has claimed it, otherwise the client that has started it. */
  owner: string;
  restorableUntil: Instant;
  /** The total size of its volumes. */
  diskBytes: number;
};

export type GraceLimits = {
  /** Maximum number per owner. */
  perOwner: number;
  /** Maximum size of all together. */
  diskBytes: number;
};

export type Forgotten = { id: string; because: 'limit' | 'room' };

/**
 * Returns the deployments whose data has to be removed. First those that exceed an owner's number, earliest expiry
 * first. Then, until the total size and the free disk space are within their limits, those of the owner with the
 * largest volumes. So a small owner does not lose data because of a large one. `missingBytes`: how much free space the
 * host's disk lacks.
 */
export function beyondGrace(
  kept: readonly RetainedDeployment[],
  limits: GraceLimits,
  missingBytes: number,
): Forgotten[] {
  const latestFirst = kept.toSorted((a, b) => b.restorableUntil - a.restorableUntil || (a.id < b.id ? -1 : 1));
  const owners = new Map<string, { count: number; bytes: number }>();
  const forgotten: Forgotten[] = [];
  /**
   * `heldBytes`: the size of this deployment and of all later ones of its owner, which is what the owner has when this
   * one is considered.
   */
  const staying: (RetainedDeployment & { heldBytes: number })[] = [];
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
