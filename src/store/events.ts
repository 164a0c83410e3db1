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
  const rows = await eventsOf(db, deploymentId).where('number', '>', after).orderBy('number').limit(limit).execute();
  return rows.map(fromRow);
}

/** Newest first, at most `limit`. */
export async function latestEvents(db: Database, deploymentId: string, limit: number): Promise<RecordedEvent[]> {
  const rows = await eventsOf(db, deploymentId).orderBy('number', 'desc').limit(limit).execute();
  return rows.map(fromRow);
}

function eventsOf(db: Database, deploymentId: string) {
  return db
    .selectFrom('events')
    .select(['number', 'at', 'kind', 'pod', 'message'])
    .where('deploymentId', '=', deploymentId);
}

type Row = { number: number; at: Instant; kind: string; pod: string | null; message: string };

function fromRow({ kind, pod, ...row }: Row): RecordedEvent {
  return { ...row, kind: kind as DeploymentEvent['kind'], ...(pod !== null && { pod }) };
}
