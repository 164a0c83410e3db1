/** Ended deployments with retained data. */
import type { Instant } from '../deployment/deployment.ts';
import type { EventOf } from '../deployment/event/event.ts';
import type { RetainedDeployment } from '../deployment/limits/grace-limits.ts';
import { isToExpireAt } from './active.ts';
import { committedToRetained } from './commitments.ts';
import type { Database } from './database.ts';
import { deploymentFrom } from './deployments.ts';
import { addEvents } from './events.ts';
import { atOnce, makeDue } from './leases.ts';
import { volumeSizesOfDeployment } from './revisions.ts';

/**
 * Returns the restorable deployments of a session, or of an account, the last ended first. Includes deployments that
 * the loop has yet to end.
 */
export async function restorableDeployments(
  db: Database,
  owner: { sessionId: string } | { accountId: string },
  now: Instant,
) {
  const rows = await db
    .selectFrom('deployments')
    .selectAll()
    .where('goneAt', 'is', null)
    .where((eb) => eb.or([eb('restorableUntil', '>', now), isToExpireAt(now)]))
    .$if('sessionId' in owner, (query) => query.where('sessionId', '=', (owner as { sessionId: string }).sessionId))
    .$if('accountId' in owner, (query) =>
      query.where('sessionId', 'in', (eb) =>
        eb
          .selectFrom('sessions')
          .select('id')
          .where('accountId', '=', (owner as { accountId: string }).accountId),
      ),
    )
    .execute();
  const endOf = ({ restorableUntil }: (typeof rows)[number]) => restorableUntil ?? Number.POSITIVE_INFINITY;
  return rows.toSorted((a, b) => endOf(b) - endOf(a) || (a.id < b.id ? -1 : 1)).map(deploymentFrom);
}

/** All retained deployments, each with its owner for the limits and the maximum size of its volumes. */
export async function deploymentsInGrace(db: Database): Promise<RetainedDeployment[]> {
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('sessions', 'sessions.id', 'deployments.sessionId')
    .leftJoin('origins', 'origins.deploymentId', 'deployments.id')
    .leftJoin(committedToRetained(db).as('committed'), 'committed.deploymentId', 'deployments.id')
    .select(['deployments.id', 'sessionId', 'claimedAt', 'accountId', 'client', 'restorableUntil', 'diskBytes'])
    .where('goneAt', 'is', null)
    .where('restorableUntil', 'is not', null)
    .execute();
  return rows.map(({ id, sessionId, claimedAt, accountId, client, restorableUntil, diskBytes }) => ({
    id,
    owner: (claimedAt === null ? client : accountId) ?? sessionId,
    restorableUntil: restorableUntil!,
    diskBytes: Number(diskBytes ?? 0),
  }));
}

/** Returns whether the removal of retained data is pending, so that its space does not count as free yet. */
export async function isMakingRoom(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('deployments')
    .select('id')
    .where('goneAt', 'is', null)
    .where('keptAt', 'is not', null)
    .where('restorableUntil', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Forgets the retained data of a deployment: its next visit removes the data, and it cannot be restored. In a
 * transaction.
 */
export async function discardRetainedData(
  db: Database,
  id: string,
  { because, now }: { because: Extract<EventOf<'lifetime'>, { lifetime: 'forgotten' }>['because']; now: Instant },
): Promise<void> {
  // It may have been restored or removed since.
  const { numUpdatedRows } = await db
    .updateTable('deployments')
    .set((eb) => ({ restorableUntil: null, generation: eb('generation', '+', 1) }))
    .where('id', '=', id)
    .where('restorableUntil', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await addEvents(db, id, [{ at: now, event: { kind: 'lifetime', lifetime: 'forgotten', because } }]);
  await makeDue(db, id, atOnce(now));
}

/** Deployments that are exempt from the time limit. */

/** `stoppedAt`: when it was stopped or suspended; null while it is to run. */
type DeploymentWithData = { id: string; volumes: string[]; stoppedAt: Instant | null };

/** Deployments with volumes, each with the sizes of these. */
export async function retainedDeployments(db: Database): Promise<DeploymentWithData[]> {
  const rows = await db
    .selectFrom('deployments')
    .select((eb) => ['id', eb.fn.coalesce('stoppedAt', 'suspendedAt').as('stoppedAt')])
    .where('goneAt', 'is', null)
    .where('removedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('claimedAt', 'is not', null), eb('heldAt', 'is not', null)]))
    .orderBy('id')
    .execute();
  const found = [];
  for (const { id, stoppedAt } of rows) {
    const volumes = [...(await volumeSizesOfDeployment(db, id)).keys()];
    if (volumes.length > 0) found.push({ id, volumes: volumes.sort(), stoppedAt });
  }
  return found;
}
