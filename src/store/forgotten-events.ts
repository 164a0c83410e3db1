/**
 * Limits the stored events of a deployment, which may be updated or repaired for years. The oldest events are replaced
 * by one event with their count.
 */
import type { ExpressionBuilder } from 'kysely';
import type { EventOf } from '../deployment/event/event.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';

/**
 * Disk events have their own limit, so that other events cannot displace the current levels of volumes
 * (`latestOfDisk`).
 */
export const diskEventsKept = 200;
export const otherEventsKept = 1_000;

/** The check takes about 0.2 ms, so it runs once per this many events. */
const tellingsPerLook = 100;

/** Removes the oldest events now and then. `from` and `to` are the sequence before and after the new events. */
export async function forgetOldest(
  db: Database,
  deploymentId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (Math.floor(from / tellingsPerLook) === Math.floor(to / tellingsPerLook)) return;
  const lastOfDisk = await lastToForget(db, deploymentId, '=', diskEventsKept);
  const lastOther = await lastToForget(db, deploymentId, '!=', otherEventsKept);
  if (lastOfDisk === 0 && lastOther === 0) return;
  const isOld = (eb: ExpressionBuilder<Tables, 'events'>) =>
    eb.and([
      eb('deploymentId', '=', deploymentId),
      eb.or([
        eb('kind', '=', 'forgotten'),
        eb.and([eb('kind', '=', 'disk'), eb('sequence', '<=', lastOfDisk)]),
        eb.and([eb('kind', '!=', 'disk'), eb('sequence', '<=', lastOther)]),
      ]),
    ]);
  const old = await db
    .selectFrom('events')
    .select(({ fn }) => [fn.sum('count').as('count'), fn.min('firstAt').as('firstAt'), fn.max('at').as('at')])
    .where(isOld)
    .executeTakeFirstOrThrow();
  const before = await db
    .selectFrom('events')
    .select('fields')
    .where('deploymentId', '=', deploymentId)
    .where('kind', '=', 'forgotten')
    .executeTakeFirst();
  const { number, sequence } = await db
    .selectFrom('events')
    .select(['number', 'sequence'])
    .where(isOld)
    .orderBy('sequence', 'desc')
    .executeTakeFirstOrThrow();
  const events = Number(old.count) + (before ? readForgotten(before.fields) - 1 : 0);
  await db.deleteFrom('events').where(isOld).execute();
  await db
    .insertInto('events')
    .values({
      deploymentId,
      number,
      sequence,
      kind: 'forgotten',
      identity: null,
      fields: printForgotten(events),
      count: 1,
      firstAt: Number(old.firstAt),
      at: Number(old.at),
    })
    .execute();
}

/**
 * The sequence number of the last event to forget, among those of the disk (`=`) or all others; 0 while all are
 * retained.
 */
async function lastToForget(db: Database, deploymentId: string, isDisk: '=' | '!=', kept: number): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select('sequence')
    .where('deploymentId', '=', deploymentId)
    .where('kind', isDisk, 'disk')
    .orderBy('sequence', 'desc')
    .limit(1)
    .offset(kept)
    .executeTakeFirst();
  return row?.sequence ?? 0;
}

type Forgotten = Omit<EventOf<'forgotten'>, 'kind'>;

function printForgotten(events: number): string {
  return JSON.stringify({ events } satisfies Forgotten);
}

function readForgotten(fields: string): number {
  return (JSON.parse(fields) as Forgotten).events;
}
