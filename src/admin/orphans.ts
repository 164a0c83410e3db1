/** Lists deployments in quarantine, and records the operator's decisions about them. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { type QuarantinedObject, removedAt } from '../deployment/quarantine/quarantine.ts';
import { describeHold } from '../deployment/quarantine/sweep-hold.ts';
import { acceptSweep, decideQuarantined, quarantined, readSweepState } from '../store/quarantine.ts';
import type { Tables } from '../store/rows.ts';

export type OrphanLine = {
  deploymentId: string;
  firstSeenAt: string;
  /** The time at which the service removes the deployment. Null if it was adopted or the sweep is on hold. */
  removedAt: string | null;
  isAdopted: boolean;
  things: QuarantinedObject[];
};

/** `hold`: the reason why the sweep is on hold, as a sentence. */
export type Orphans = { hold: string | null; orphans: OrphanLine[] };

export async function listOrphans(db: Kysely<Tables>, { graceMs }: { graceMs: number }): Promise<Orphans> {
  const { hold } = await readSweepState(db);
  const orphans = (await quarantined(db)).map((entry): OrphanLine => {
    const at = hold && entry.decision !== 'remove' ? null : removedAt(entry, graceMs);
    return {
      deploymentId: entry.deploymentId,
      firstSeenAt: new Date(entry.firstSeenAt).toISOString(),
      removedAt: at === null ? null : new Date(Math.max(at, entry.firstSeenAt)).toISOString(),
      isAdopted: entry.decision === 'adopt',
      things: entry.things,
    };
  });
  return { hold: hold && describeHold(hold), orphans };
}

export type OrphanOrder = { kind: 'accept' } | { kind: 'adopt' | 'remove'; deploymentId: string };

/** Returns false if the sweep is not on hold, or the deployment is not in quarantine. */
export async function orderOrphans(
  db: Kysely<Tables>,
  order: OrphanOrder,
  requested: { actor: string; now: Instant },
): Promise<boolean> {
  if (order.kind === 'accept') return await acceptSweep(db, requested);
  return await decideQuarantined(db, { deploymentId: order.deploymentId, decision: order.kind, ...requested });
}
