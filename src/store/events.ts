/**
 * Events: what happened to a deployment. A repeated event increases the count of the earlier one. Its number stays, and
 * it moves to the end of the sequence, so that followers see the new count.
 */

import type { ExpressionBuilder } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { type DeploymentEvent, type EventOf, identityOf } from '../deployment/event/event.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { notification } from './notify-processes.ts';
import type { EventRow, Tables } from './rows.ts';

export type RecordedEvent = DeploymentEvent & {
  /** The number of the event in its deployment, starting at 1. All repetitions have the same number. */
  number: number;
  /** The position in the sequence, in which repetitions count too. A reader resumes after it. */
  sequence: number;
  /** How many times the event has happened since the last intent. */
  count: number;
  firstAt: Instant;
  /** The last time. */
  at: Instant;
};

export type EventAt = { at: Instant; event: DeploymentEvent };

/**
 * Adds the events in this order. Writers of one deployment take turns, so call it in a transaction if there may be
 * several.
 */
export async function addEvents(db: Database, deploymentId: string, events: EventAt[]): Promise<void> {
  if (events.length === 0) return;
  const known = await repeatable(
    db,
    deploymentId,
    events.map(({ event }) => identityOf(event)),
  );
  const written = new Map<number, EventRow>();
  const from = await lastSequence(db, deploymentId);
  let sequence = from;
  for (const { at, event } of events) {
    sequence += 1;
    const { kind, ...fields } = event;
    if (kind === 'intent') known.clear();
    const identity = identityOf(event);
    const earlier = identity === null ? undefined : known.get(identity);
    const { number, firstAt, count } = earlier ?? { number: sequence, firstAt: at, count: 0 };
    const content = { kind, identity, fields: JSON.stringify(fields) };
    const row = { deploymentId, number, sequence, ...content, count: count + 1, firstAt, at };
    if (identity !== null) known.set(identity, row);
    written.set(number, row);
  }
  await writingEvents(db, deploymentId, [...written.values()]).execute();
  await deleteOldestEvents(db, deploymentId, { from, to: sequence });
}

/** The first one of a deployment that is added with it. */
export function addingFirstEvent(db: Database, deploymentId: string, { at, event }: EventAt) {
  const { kind, ...fields } = event;
  const content = { kind, identity: identityOf(event), fields: JSON.stringify(fields) };
  return writingEvents(db, deploymentId, [
    { ...content, deploymentId, number: 1, sequence: 1, count: 1, firstAt: at, at },
  ]);
}

function writingEvents(db: Database, deploymentId: string, rows: EventRow[]) {
  return (
    db
      .insertInto('events')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['deploymentId', 'number']).doUpdateSet((eb) => ({
          sequence: eb.ref('excluded.sequence'),
          fields: eb.ref('excluded.fields'),
          at: eb.ref('excluded.at'),
          count: eb.ref('excluded.count'),
        })),
      )
      // PostgreSQL delivers equal notifications of a transaction once.
      .$if(isPostgres(db), (query) => query.returning(notification('events', deploymentId)))
  );
}

/** Events after the position `after`, in the order of the sequence, at most `limit`. */
export async function eventsAfter(
  db: Database,
  deploymentId: string,
  after: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const rows = await eventsOf(db, deploymentId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

/** The latest first, at most `limit`. */
export async function latestEvents(db: Database, deploymentId: string, limit: number): Promise<RecordedEvent[]> {
  const rows = await eventsOf(db, deploymentId).orderBy('sequence', 'desc').limit(limit).execute();
  return rows.map(fromRow);
}

/** The retained disk events, latest first: enough to find the last reported level of each volume. */
export async function latestOfDisk(
  db: Database,
  deploymentId: string,
): Promise<Extract<RecordedEvent, { kind: 'disk' }>[]> {
  const rows = await eventsOf(db, deploymentId)
    .where('kind', '=', 'disk')
    .orderBy('sequence', 'desc')
    .limit(diskEventsKept)
    .execute();
  return rows.map(fromRow).filter((event) => event.kind === 'disk');
}

/** Returns the events since the last intent that have one of these identities, by identity. */
async function repeatable(
  db: Database,
  deploymentId: string,
  identities: (string | null)[],
): Promise<Map<string, EventRow>> {
  const sought = identities.filter((identity) => identity !== null);
  if (sought.length === 0) return new Map();
  const rows = await eventsOf(db, deploymentId)
    .where('identity', 'in', sought)
    .where('number', '>', (eb) =>
      eb
        .selectFrom('events')
        .select(({ fn, val }) => fn.coalesce(fn.max('number'), val(0)).as('last'))
        .where('deploymentId', '=', deploymentId)
        .where('kind', '=', 'intent'),
    )
    .execute();
  return new Map(rows.map((row) => [row.identity!, row]));
}

async function lastSequence(db: Database, deploymentId: string): Promise<number> {
  const { last } = await db
    .selectFrom('events')
    .select(({ fn, val }) => fn.coalesce(fn.max('sequence'), val(0)).as('last'))
    .where('deploymentId', '=', deploymentId)
    .executeTakeFirstOrThrow();
  return last;
}

function eventsOf(db: Database, deploymentId: string) {
  return db.selectFrom('events').selectAll().where('deploymentId', '=', deploymentId);
}

function fromRow({ number, sequence, kind, fields, count, firstAt, at }: EventRow): RecordedEvent {
  return { kind, ...JSON.parse(fields), number, sequence, count, firstAt, at };
}

/**
 * Limits the stored events of a deployment, which may be updated or repaired for years. The oldest events are replaced
 * by one event with their count.
 */

/**
 * Disk events have their own limit, so that other events cannot displace the current levels of volumes
 * (`latestOfDisk`).
 */
export const diskEventsKept = 200;
export const otherEventsKept = 1_000;

/** The check takes about 0.2 ms, so it runs once per this many events. */
const eventsPerCheck = 100;

/** Removes the oldest events now and then. `from` and `to` are the sequence before and after the new events. */
async function deleteOldestEvents(
  db: Database,
  deploymentId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (Math.floor(from / eventsPerCheck) === Math.floor(to / eventsPerCheck)) return;
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
 * Returns the sequence number of the last event to delete, among those of the disk (`=`) or all others. 0 while all are
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
