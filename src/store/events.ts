/** Events: what happened to a deployment, numbered per deployment from 1 so that a reader can resume. */
import { sql } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

/** `progress` has the percentage as its message, `pod` the pod's state and what keeps it from being ready. */
export type DeploymentEvent = {
  kind: 'intent' | 'operation' | 'progress' | 'pod' | 'state' | 'fault';
  pod?: string;
  message: string;
};

export type RecordedEvent = DeploymentEvent & { number: number; at: Instant };

export async function addEvent(db: Database, deploymentId: string, at: Instant, event: DeploymentEvent): Promise<void> {
  const { kind, pod = null, message } = event;
  await db
    .insertInto('events')
    .columns(['deploymentId', 'number', 'at', 'kind', 'pod', 'message'])
    .expression((eb) =>
      eb
        .selectFrom('events')
        .where('deploymentId', '=', deploymentId)
        .select([
          sql<string>`cast(${deploymentId} as text)`.as('deploymentId'),
          sql<number>`coalesce(max("number"), 0) + 1`.as('number'),
          sql<number>`cast(${at} as bigint)`.as('at'),
          sql<string>`cast(${kind} as text)`.as('kind'),
          sql<string | null>`cast(${pod} as text)`.as('pod'),
          sql<string>`cast(${message} as text)`.as('message'),
        ]),
    )
    .execute();
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
