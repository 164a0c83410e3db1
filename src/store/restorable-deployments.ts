/** Deployments that have ended, and of which what they had is kept for their owner. */
import type { Instant } from '../deployment/deployment.ts';
import type { EventOf } from '../deployment/event/event.ts';
import { isToExpireAt } from './active.ts';
import type { Database } from './database.ts';
import { deploymentFrom, writeIntent } from './deployments.ts';
import { addEvents } from './events.ts';
import { atOnce, makeDue } from './leases.ts';

/** Those of a session, or of all sessions of an account, the one that ended last first; with those that the loop has yet to end. */
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

/** What was kept of one goes at its next visit, and nothing brings it back any more. In a transaction. */
export async function forgetKept(
  db: Database,
  id: string,
  { because, now }: { because: Extract<EventOf<'lifetime'>, { lifetime: 'forgotten' }>['because']; now: Instant },
): Promise<void> {
  await writeIntent(db, id, { restorableUntil: null });
  await addEvents(db, id, [{ at: now, event: { kind: 'lifetime', lifetime: 'forgotten', because } }]);
  await makeDue(db, id, atOnce(now));
}
