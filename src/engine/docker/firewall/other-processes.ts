/** Firewall rules that other processes of this installation have written. */
import type { Listing } from './listing.ts';
import type { Admission, Bridges } from './rules.ts';

/** A bridge is admitted before its network is created, which takes less than this. */
export const makingMs = 60_000;

/**
 * Takes over the policies that other processes wrote later. A network keeps the label from its creation, so only the rules
 * have a later policy. Entries of an earlier turn come from a process that had not seen ours.
 */
export function adoptPolicies(bridges: Map<string, Admission>, found: Listing | undefined): void {
  for (const [bridge, known] of bridges) {
    const { chain = '', turn = 0 } = found?.bridges.get(bridge) ?? {};
    const egress = found?.policies.get(chain);
    const admission = egress && turn >= known.turn ? { egress, turn } : known;
    // A process without turns writes 0.
    bridges.set(bridge, { ...admission, turn: Math.max(1, admission.turn) });
  }
}

/** Remembers since when the rules contain bridges that this process does not know. */
export function createUnknownBridges() {
  const since = new Map<string, number>();
  return {
    /** Bridges that another process admitted recently and may be about to make. A whole table must not shut them out. */
    awaited(bridges: Bridges, found: Listing | undefined): Bridges {
      const awaited = new Map<string, Admission>();
      for (const bridge of since.keys()) if (bridges.has(bridge) || !found?.bridges.has(bridge)) since.delete(bridge);
      for (const [bridge, { chain, turn }] of found?.bridges ?? []) {
        if (bridges.has(bridge)) continue;
        const firstSeenAt = since.get(bridge) ?? performance.now();
        since.set(bridge, firstSeenAt);
        const egress = found?.policies.get(chain);
        if (egress && performance.now() - firstSeenAt < makingMs) awaited.set(bridge, { egress, turn });
      }
      return awaited;
    },
  };
}
