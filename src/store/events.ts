/** Events: what happened to a deployment, numbered per deployment from 1 so that a reader can resume. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

/** `disk` tells of full volumes and of pods that are stopped for what they hold; `progress` has the percentage as its message, `pod` the pod's state and what keeps it from being ready. */
export type DeploymentEvent = {
  kind: 'intent' | 'operation' | 'progress' | 'pod' | 'state' | 'fault' | 'disk';
  pod?: string;
  message: string;
};

export type RecordedEvent = DeploymentEvent & { number: number; at: Instant };

/** In this order. Writers of one deployment take turns: call it in a transaction where there may be several. */
export async function addEvents(
  db: Database,
  deploymentId: string,
  events: (DeploymentEvent & { at: Instant })[],
): Promise<void> {
  if (events.length === 0) return;
  const { last } = await db
    .selectFrom('events')
    .select((eb) => eb.fn.coalesce(eb.fn.max('number'), eb.val(0)).as('last'))
    .where('deploymentId', '=', deploymentId)
    .executeTakeFirstOrThrow();
  const rows = events.map(({ at, kind, pod = null, message }, index) => {
    return { deploymentId, number: last + 1 + index, at, kind, pod, message };
  });
  await db.insertInto('events').values(rows).execute();
}

/** Those after number `after`, oldest first, at most `limit`. */
export async function eventsAfter(
  db: Database,
  deploymentId: string,
  after: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(['number', 'at', 'kind', 'pod', 'message'])
    .where('deploymentId', '=', deploymentId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(({ kind, pod, ...row }) => ({
    ...row,
    kind: kind as DeploymentEvent['kind'],
    ...(pod !== null && { pod }),
  }));
}
