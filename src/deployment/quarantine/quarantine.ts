/**
 * PURE. Quarantine: objects on the engine with Berth's label but without a row. The store may have lost the row (an
 * older copy of the database was put back), so such objects are stopped and kept for a time before they are removed.
 */
import type { Instant } from '../deployment.ts';

/** One object on the engine, as listed for the sweep. */
export type OwnedObject = {
  kind: 'workload' | 'volume' | 'network' | 'group';
  name: string;
  phase?: string | undefined;
  /** The epoch of the store when the object was created; absent if its engine does not record it. */
  epoch?: number | undefined;
  /** The revision of a workload. */
  revision?: number | undefined;
};

/** The store's row of a deployment. Without `goneAt`, the deployment is wanted. */
export type KnownDeployment = { goneAt: Instant | null; revision: number };

/** `adopt`: the sweep never removes it. `remove`: the sweep removes it at its next round. */
export type QuarantineDecision = 'adopt' | 'remove';

export type QuarantinedObject = Pick<OwnedObject, 'kind' | 'name'>;

export type Quarantined = {
  deploymentId: string;
  firstSeenAt: Instant;
  /** When the operator accepted a hold of the sweep. The time in quarantine starts then. */
  acceptedAt: Instant | null;
  decision: QuarantineDecision | null;
  things: QuarantinedObject[];
};

/** Even with a shorter BERTH_GRACE: the operator needs time to notice. */
export const minQuarantineMs = 24 * 60 * 60_000;

export function quarantineMs(graceMs: number): number {
  return Math.max(graceMs, minQuarantineMs);
}

/** Returns when the sweep removes it. Null if never. */
export function removedAt({ firstSeenAt, acceptedAt, decision }: Quarantined, graceMs: number): Instant | null {
  if (decision === 'adopt') return null;
  return decision === 'remove' ? 0 : (acceptedAt ?? firstSeenAt) + quarantineMs(graceMs);
}

export type SweepView<Thing extends OwnedObject> = {
  /** The listed objects of each inspected deployment. Empty if it has none. */
  things: ReadonlyMap<string, readonly Thing[]>;
  known: ReadonlyMap<string, KnownDeployment>;
  entries: ReadonlyMap<string, Quarantined>;
  /** The sweep is on hold: it only carries out the operator's decisions. */
  isHeld: boolean;
  graceMs: number;
  now: Instant;
};

export type SweepPlan<Thing> = {
  /** Workloads of unknown deployments that run. */
  stops: Thing[];
  removals: Thing[];
  /** Deployments that have ended or are past their quarantine, and that a hold keeps on the engine. */
  held: string[];
};

/** Plans the sweep of each deployment. Every unknown deployment must already have an entry. */
export function planSweep<Thing extends OwnedObject>(view: SweepView<Thing>): SweepPlan<Thing> {
  const { things, known, entries, isHeld, graceMs, now } = view;
  const plan: SweepPlan<Thing> = { stops: [], removals: [], held: [] };
  for (const [deploymentId, listed] of things) {
    const row = known.get(deploymentId);
    if (row?.goneAt === null) continue;
    const entry = entries.get(deploymentId);
    const isDecided = !row && entry?.decision === 'remove';
    const until = entry && removedAt(entry, graceMs);
    const isDue = row !== undefined || isEmpty(listed) || (until !== undefined && until !== null && until <= now);
    if (isHeld && !isDecided) {
      if (listed.length > 0) plan.held.push(deploymentId);
    } else if (isDue) plan.removals.push(...listed);
    else plan.stops.push(...listed.filter(({ kind, phase }) => kind === 'workload' && phase === 'running'));
  }
  return plan;
}

/** Returns deployments with objects on the engine and no row. */
export function unknownAmong(
  things: ReadonlyMap<string, readonly OwnedObject[]>,
  known: ReadonlyMap<string, KnownDeployment>,
): string[] {
  return [...things].flatMap(([id, listed]) => (!isEmpty(listed) && !known.has(id) ? [id] : []));
}

/** A group contains no data once the objects of its deployment are gone. */
function isEmpty(listed: readonly OwnedObject[]): boolean {
  return listed.every(({ kind }) => kind === 'group');
}
