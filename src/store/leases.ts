/**
 * Leases: which deployment is due, and who works on it. A lease saves work and fences writes; it is not what makes
 * the work safe (names are deterministic, operations idempotent).
 *
 * `dueAt` is null while a lease is held. An intent that comes meanwhile sets it, and the release keeps it, so that
 * nothing asked for during a visit is missed.
 */
import type { Instant } from '../deployment/deployment.ts';
import { newId } from '../lib/ids.ts';
import type { Database } from './database.ts';

export type Lease = { deploymentId: string; token: string };

/** Makes a deployment due at `dueAt`, at the latest. */
export async function makeDue(db: Database, deploymentId: string, dueAt: Instant): Promise<void> {
  await db
    .insertInto('leases')
    .values({ deploymentId, dueAt, token: null, leasedUntil: null })
    .onConflict((conflict) =>
      conflict.column('deploymentId').doUpdateSet((eb) => ({
        dueAt: eb
          .case()
          .when(eb.and([eb('leases.dueAt', 'is not', null), eb('leases.dueAt', '<', dueAt)]))
          .then(eb.ref('leases.dueAt'))
          .else(dueAt)
          .end(),
      })),
    )
    .execute();
}

/** Takes at most `limit` due deployments, the longest due first; those whose holder has died count as due. */
export async function takeLeases(db: Database, now: Instant, leaseMs: number, limit: number): Promise<Lease[]> {
  const due = await db
    .selectFrom('leases')
    .select('deploymentId')
    .where((eb) =>
      eb.or([
        eb.and([eb('token', 'is', null), eb('dueAt', '<=', now)]),
        eb.and([eb('token', 'is not', null), eb('leasedUntil', '<=', now)]),
      ]),
    )
    .orderBy('dueAt')
    .limit(limit)
    .execute();
  const leases: Lease[] = [];
  for (const { deploymentId } of due) {
    const token = newId();
    const result = await db
      .updateTable('leases')
      .set({ token, leasedUntil: now + leaseMs, dueAt: null })
      .where('deploymentId', '=', deploymentId)
      .where((eb) => eb.or([eb('token', 'is', null), eb('leasedUntil', '<=', now)]))
      .executeTakeFirst();
    if (result.numUpdatedRows > 0n) leases.push({ deploymentId, token });
  }
  return leases;
}

/** False when somebody else has it by now. */
export async function renewLease(db: Database, { deploymentId, token }: Lease, until: Instant): Promise<boolean> {
  const result = await db
    .updateTable('leases')
    .set({ leasedUntil: until })
    .where('deploymentId', '=', deploymentId)
    .where('token', '=', token)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Whether the lease is still this one and no intent has come since `generation`. A read: it waits for no disk. */
export async function isStillWanted(
  db: Database,
  { deploymentId, token }: Lease,
  generation: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('leases')
    .innerJoin('deployments', 'deployments.id', 'leases.deploymentId')
    .select('deployments.id')
    .where('leases.deploymentId', '=', deploymentId)
    .where('leases.token', '=', token)
    .where('deployments.generation', '=', generation)
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives it back, to be visited again at `dueAt` (null: only when something wakes it). */
export async function releaseLease(db: Database, { deploymentId, token }: Lease, dueAt: Instant | null): Promise<void> {
  await db
    .updateTable('leases')
    .set((eb) => ({ token: null, leasedUntil: null, dueAt: eb.fn.coalesce('dueAt', eb.val(dueAt)) }))
    .where('deploymentId', '=', deploymentId)
    .where('token', '=', token)
    .execute();
}

/** For a store that one process has for itself: whatever waits, or an earlier process held, is due now. */
export async function takeOver(db: Database, now: Instant): Promise<void> {
  await db
    .updateTable('leases')
    .set({ token: null, leasedUntil: null, dueAt: now })
    .where((eb) => eb.or([eb('token', 'is not', null), eb('dueAt', 'is not', null)]))
    .execute();
}

/** When the next deployment will be due; undefined when none is waiting. */
export async function nextDueAt(db: Database): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('leases')
    .select((eb) => eb.fn.min('dueAt').as('dueAt'))
    .where('token', 'is', null)
    .executeTakeFirst();
  return row?.dueAt ?? undefined;
}
