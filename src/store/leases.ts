/**
 * Leases: which deployment is due, and which process works on it. A lease saves work and fences writes. It is not
 * required for safety, because names are deterministic and operations idempotent. `dueAt` is null while a lease is
 * held. An intent during a visit sets it, and the release keeps it, so that no intent is missed. Instants are
 * wall-clock times, because processes share them, and that clock may be set back. So an instant further away than the
 * planning horizon counts as past.
 */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { newId } from '../lib/ids.ts';
import { chunksOf } from './chunks.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { notification } from './notify-processes.ts';
import type { Tables } from './rows.ts';

export type Lease = { deploymentId: string; token: string };

const centuryMs = 100 * 365 * 24 * 60 * 60_000;

/**
 * Returns the due time of a new request: earlier than any wall clock, even after it was set back, and in the order of
 * the requests. Otherwise, a request written while the clock was briefly ahead would wait behind planned visits for ten
 * minutes or more.
 */
export function atOnce(now: Instant): Instant {
  return now - centuryMs;
}

/** Makes a deployment due at `dueAt`, at the latest. */
export async function makeDue(db: Database, deploymentId: string, dueAt: Instant): Promise<void> {
  await makingDue(db, deploymentId, dueAt).execute();
}

export function makingDue(db: Database, deploymentId: string, dueAt: Instant) {
  return db
    .insertInto('leases')
    .values({ deploymentId, dueAt, token: null, leasedUntil: null, observedHash: null })
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
    .$if(isPostgres(db), (query) => query.returning(notification('due', deploymentId)));
}

/**
 * Makes deployments due because their objects on the engine have changed. Not those that are being visited, which see
 * the change anyway, nor those whose last visit has failed, because a failing visit may cause changes each time, and
 * must back off.
 */
export async function makeDueIfSettled(db: Database, deploymentIds: readonly string[], now: Instant): Promise<void> {
  for (const some of chunksOf(deploymentIds))
    await db
      .updateTable('leases')
      .set({ dueAt: now })
      .where('deploymentId', 'in', some)
      .where('token', 'is', null)
      .where('observedHash', 'is not', null)
      .where('dueAt', '>', now)
      .execute();
}

export type Taking = {
  now: Instant;
  /** How long a lease lasts without a renewal. */
  leaseMs: number;
  /** No visit is planned further ahead. */
  horizonMs: number;
  /** The maximum number. */
  limit: number;
  /** The token of all leases that are taken now. The default does not identify the process. */
  token?: string;
};

/** Leases due deployments: first those whose holder has died, then the longest due. */
export async function acquireLeases(db: Database, { limit, token = newId(), ...taking }: Taking): Promise<Lease[]> {
  const due = await dueIds(db, taking, limit);
  if (due.length === 0) return [];
  const taken = await db
    .updateTable('leases')
    .set({ token, leasedUntil: taking.now + taking.leaseMs, dueAt: null })
    .where('deploymentId', 'in', due)
    // Another process may have been faster.
    .where((eb) => eb.or(waysToBeDue(taking).map(({ isDue }) => isDue(eb))))
    .returning('deploymentId')
    .execute();
  return taken.map(({ deploymentId }) => ({ deploymentId, token }));
}

/**
 * Each way to be due is looked up in its own index. With a combined query, databases read all waiting rows: 6 ms with
 * 20,000 deployments, twenty times a second (measured).
 */
async function dueIds(db: Database, taking: Span, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (const { isDue, since } of waysToBeDue(taking)) {
    const rows = await db
      .selectFrom('leases')
      .select('deploymentId')
      .where(isDue)
      .orderBy(since)
      .limit(limit - found.length)
      .execute();
    found.push(...rows.map(({ deploymentId }) => deploymentId));
    if (found.length === limit) break;
  }
  return found;
}

type Span = Omit<Taking, 'limit' | 'token'>;

type WayToBeDue = {
  isDue: (eb: ExpressionBuilder<Tables, 'leases'>) => Expression<SqlBool>;
  since: 'dueAt' | 'leasedUntil';
};

/** Work of a dead process comes first. */
function waysToBeDue({ now, leaseMs, horizonMs }: Span): WayToBeDue[] {
  return [
    { isDue: (eb) => eb('leasedUntil', '<=', now), since: 'leasedUntil' },
    // A holder that is alive would have renewed it since the clock was set back.
    { isDue: (eb) => eb('leasedUntil', '>', now + 2 * leaseMs), since: 'leasedUntil' },
    { isDue: (eb) => eb.and([eb('token', 'is', null), eb('dueAt', '<=', now)]), since: 'dueAt' },
    { isDue: (eb) => eb.and([eb('token', 'is', null), eb('dueAt', '>', now + horizonMs)]), since: 'dueAt' },
  ];
}

/** Renews leases until `until`. Returns the deployments whose lease this process still has. */
export async function renewLeases(db: Database, leases: readonly Lease[], until: Instant): Promise<Set<string>> {
  const held = new Set<string>();
  for (const some of chunksOf(leases)) {
    const kept = await db
      .updateTable('leases')
      .set({ leasedUntil: until })
      .where('token', 'in', [...new Set(some.map(({ token }) => token))])
      .where(
        'deploymentId',
        'in',
        some.map(({ deploymentId }) => deploymentId),
      )
      .returning('deploymentId')
      .execute();
    for (const { deploymentId } of kept) held.add(deploymentId);
  }
  return held;
}

/**
 * `outdated`: the lease is still held, but an intent arrived since `generation`. This only reads, so it does not wait
 * for the disk.
 */
export async function leaseStatusOf(
  db: Database,
  { deploymentId, token }: Lease,
  generation: number,
): Promise<'ours' | 'outdated' | 'lost'> {
  const row = await db
    .selectFrom('leases')
    .innerJoin('deployments', 'deployments.id', 'leases.deploymentId')
    .select('deployments.generation')
    .where('leases.deploymentId', '=', deploymentId)
    .where('leases.token', '=', token)
    .executeTakeFirst();
  if (!row) return 'lost';
  return row.generation === generation ? 'ours' : 'outdated';
}

export type Release = {
  /** Null: only when something wakes it. */
  dueAt: Instant | null;
  /** The hash of the last visit's observation; null if the visit failed. */
  observedHash: string | null;
};

/** Gives it back, to be visited again when it is due. */
export async function releaseLease(
  db: Database,
  { deploymentId, token }: Lease,
  { dueAt, observedHash }: Release,
): Promise<void> {
  await db
    .updateTable('leases')
    .set((eb) => ({
      token: null,
      leasedUntil: null,
      observedHash,
      dueAt: eb.fn.coalesce('dueAt', eb.val(whole(dueAt))),
    }))
    .where('deploymentId', '=', deploymentId)
    .where('token', '=', token)
    .execute();
}

/** A back-off is a share of milliseconds; instants are whole ones. */
function whole(at: Instant | null): Instant | null {
  return at && Math.round(at);
}

export type TakingOver = {
  now: Instant;
  /** The period in which every idle deployment is visited. */
  spreadMs: number;
  /** From 0 to below 1. */
  random: () => number;
};

/**
 * Called when a process starts. In SQLite, deployments leased by an earlier process are due now, because that process
 * is dead. In PostgreSQL, it may be alive elsewhere, and keeps its leases until they expire. All others are due soon,
 * because settings and versions may differ, but spread over time, so that intents do not wait.
 */
export async function takeOver(db: Database, { now, spreadMs, random }: TakingOver): Promise<void> {
  if (!isPostgres(db))
    await db
      .updateTable('leases')
      .set({ token: null, leasedUntil: null, observedHash: null, dueAt: now })
      .where('token', 'is not', null)
      .execute();
  await spreadVisits(db, { now, spreadMs, random });
}

/** Spreads the visits of all waiting deployments over a period. */
export async function spreadVisits(db: Database, { now, spreadMs, random }: TakingOver): Promise<void> {
  const waiting = await db.selectFrom('leases').select('deploymentId').where('dueAt', '>', now).execute();
  const steps = Map.groupBy(waiting, () => Math.floor(random() * stepsOfSpread));
  for (const [step, rows] of steps)
    for (const some of chunksOf(rows.map(({ deploymentId }) => deploymentId)))
      await db
        .updateTable('leases')
        .set({ dueAt: now + Math.round((spreadMs * step) / stepsOfSpread) })
        .where('deploymentId', 'in', some)
        .where('dueAt', '>', now)
        .execute();
}

const stepsOfSpread = 30;

/** Returns when the next deployment is due or its lease expires. Undefined if none is waiting. */
export async function nextDueAt(db: Database): Promise<Instant | undefined> {
  const free = await db
    .selectFrom('leases')
    .select((eb) => eb.fn.min('dueAt').as('at'))
    .where('token', 'is', null)
    .executeTakeFirst();
  const held = await db
    .selectFrom('leases')
    .select((eb) => eb.fn.min('leasedUntil').as('at'))
    .executeTakeFirst();
  const instants = [free?.at, held?.at].filter((at) => at != null);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Returns the hashes of waiting deployments whose last visit has not failed. */
export async function settledHashes(
  db: Database,
  deploymentIds: readonly string[],
  now: Instant,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const some of chunksOf(deploymentIds)) {
    const rows = await db
      .selectFrom('leases')
      .select(['deploymentId', 'observedHash'])
      .where('deploymentId', 'in', some)
      .where('token', 'is', null)
      .where('dueAt', '>', now)
      .where('observedHash', 'is not', null)
      .execute();
    for (const { deploymentId, observedHash } of rows) hashes.set(deploymentId, observedHash!);
  }
  return hashes;
}

/** The first deployments after an id, in the order of ids. */
export async function leasedAfter(db: Database, id: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('leases')
    .select('deploymentId')
    .where('deploymentId', '>', id)
    .orderBy('deploymentId')
    .limit(limit)
    .execute();
  return rows.map(({ deploymentId }) => deploymentId);
}
