/** Snapshots of deployments: requested ones, taken ones, and those to be removed from their location. */
import type { Selectable } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { Dump } from '../deployment/snapshot/dump.ts';
import type { SizedVolume, Snapshot, SnapshotReason } from '../deployment/snapshot/snapshot.ts';
import { newId } from '../lib/ids.ts';
import type { Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';

export type SnapshotRequest = {
  deploymentId: string;
  revision: number;
  reason: SnapshotReason;
  /** Default: all volumes as files. */
  dumps?: Dump[];
  now: Instant;
};

export async function requestSnapshot(
  db: Database,
  { deploymentId, revision, reason, dumps = [], now }: SnapshotRequest,
): Promise<Snapshot> {
  const requested: Snapshot = {
    id: newId(),
    deploymentId,
    revision,
    reason,
    state: 'asked',
    createdAt: now,
    nextTryAt: now,
    tries: 0,
    takenAt: null,
    placeId: null,
    volumes: [],
    dumps,
    totalBytes: null,
    addedBytes: null,
    pausedMs: null,
    problem: null,
    toldAt: null,
    begunAt: null,
  };
  await db
    .insertInto('snapshots')
    .values({ ...requested, volumes: '[]', dumps: JSON.stringify(dumps) })
    .execute();
  return requested;
}

/** A pending snapshot with another reason is also taken before this update. */
export async function requestSnapshotBefore(
  db: Database,
  { deploymentId, revision, now }: Omit<SnapshotRequest, 'reason' | 'dumps'>,
) {
  const reason = 'before-update' as const;
  const result = await db
    .updateTable('snapshots')
    .set({ reason, revision, nextTryAt: now })
    .where('deploymentId', '=', deploymentId)
    .where('state', '=', 'asked')
    .where('reason', '<>', 'before-restore')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function snapshotById(db: Database, id: string): Promise<Snapshot | undefined> {
  const row = await db.selectFrom('snapshots').selectAll().where('id', '=', id).executeTakeFirst();
  return row && snapshotFrom(row);
}

/** Newest first, without those that are being removed or were removed. */
export async function snapshotsOf(db: Database, deploymentId: string): Promise<Snapshot[]> {
  const all = await allSnapshotsOf(db, deploymentId);
  return all.filter(({ state }) => state !== 'leaving' && state !== 'left');
}

/** Newest first. Includes the newest removed one. */
export async function allSnapshotsOf(db: Database, deploymentId: string): Promise<Snapshot[]> {
  const rows = await db
    .selectFrom('snapshots')
    .selectAll()
    .where('deploymentId', '=', deploymentId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(snapshotFrom);
}

/** Returns the snapshots of all deployments of an account. */
export async function snapshotsOfAccount(db: Database, accountId: string): Promise<Snapshot[]> {
  const rows = await db
    .selectFrom('snapshots')
    .selectAll('snapshots')
    .innerJoin('deployments', 'deployments.id', 'snapshots.deploymentId')
    .innerJoin('sessions', 'sessions.id', 'deployments.sessionId')
    .where('sessions.accountId', '=', accountId)
    .where('snapshots.state', 'not in', ['leaving', 'left'])
    .execute();
  return rows.map(snapshotFrom);
}

/**
 * The requested snapshot that has waited longest and is due. Not while volumes of its deployment are swapped, because
 * it would mix old and new data.
 */
export async function nextPendingSnapshot(db: Database, now: Instant): Promise<Snapshot | undefined> {
  const row = await db
    .selectFrom('snapshots')
    .selectAll()
    .where('state', '=', 'asked')
    .where('nextTryAt', '<=', now)
    .where('deploymentId', 'not in', (eb) =>
      eb.selectFrom('restores').select('deploymentId').where('state', '=', 'filled'),
    )
    .orderBy('nextTryAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && snapshotFrom(row);
}

/** Returns the pending snapshots. */
export async function pendingSnapshots(db: Database): Promise<Snapshot[]> {
  const rows = await db.selectFrom('snapshots').selectAll().where('state', '=', 'asked').orderBy('id').execute();
  return rows.map(snapshotFrom);
}

export type TakenSnapshot = {
  placeId: string;
  takenAt: Instant;
  volumes: SizedVolume[];
  totalBytes: number;
  addedBytes: number;
  pausedMs: number;
};

/** Returns false if the snapshot is no longer wanted. */
export async function recordTaken(db: Database, id: string, { volumes, ...taken }: TakenSnapshot): Promise<boolean> {
  const result = await db
    .updateTable('snapshots')
    .set({ ...taken, volumes: JSON.stringify(volumes), state: 'taken', problem: null, begunAt: null })
    .where('id', '=', id)
    .where('state', '=', 'asked')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** `begunAt`: of its own attempt. Leftovers of other snapshots in the deployment's location were removed. */
export async function recordSnapshotStart(
  db: Database,
  { id, deploymentId }: Snapshot,
  begunAt: Instant | null,
): Promise<void> {
  await db.updateTable('snapshots').set({ begunAt: null }).where('deploymentId', '=', deploymentId).execute();
  if (begunAt !== null) await db.updateTable('snapshots').set({ begunAt }).where('id', '=', id).execute();
}

/** `tries`: including this one. */
export async function recordAttempt(db: Database, id: string, tries: number): Promise<void> {
  await db.updateTable('snapshots').set({ tries }).where('id', '=', id).where('state', '=', 'asked').execute();
}

/** Revokes an abandoned attempt that has not failed, unless another process has started one since. */
export async function revokeAttempt(
  db: Database,
  of: 'snapshots' | 'restores',
  { id, tries }: { id: string; tries: number },
): Promise<void> {
  await db
    .updateTable(of)
    .set({ tries: tries - 1 })
    .where('id', '=', id)
    .where('state', '=', 'asked')
    .where('tries', '=', tries)
    .execute();
}

export type FailedAttempt = { tries: number; nextTryAt: Instant; problem: string; isOver: boolean; toldAt?: Instant };

export async function recordFailedSnapshotAttempt(
  db: Database,
  id: string,
  { isOver, ...failed }: FailedAttempt,
): Promise<void> {
  await db
    .updateTable('snapshots')
    .set({ ...failed, ...(isOver && { state: 'failed' }) })
    .where('id', '=', id)
    .where('state', '=', 'asked')
    .execute();
}

/** Marks snapshots for removal. Their data is removed from the location first, and then their rows. */
export async function markSnapshotsForRemoval(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await db
      .updateTable('snapshots')
      .set({ state: 'leaving' })
      .where('id', 'in', [...ids])
      .execute();
}

/** Marks the snapshots of deployments without retained data. */
export async function markSnapshotsOfRemoved(db: Database): Promise<void> {
  await db
    .updateTable('snapshots')
    .set({ state: 'leaving' })
    .where('state', '<>', 'leaving')
    .where('deploymentId', 'not in', (eb) => eb.selectFrom('deployments').select('id').where('goneAt', 'is', null))
    // A deployment started next to it still reads its data from there.
    .where('id', 'not in', (eb) => eb.selectFrom('restores').select('snapshotId').where('state', '=', 'asked'))
    .execute();
}

export async function snapshotsToRemove(db: Database): Promise<Snapshot[]> {
  const rows = await db.selectFrom('snapshots').selectAll().where('state', '=', 'leaving').orderBy('id').execute();
  return rows.map(snapshotFrom);
}

/** The data was removed. The newest row of a deployment stays, because the schedule depends on it. */
export async function deleteSnapshots(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('snapshots')
    .set({ state: 'left' })
    .where('id', 'in', [...ids])
    .execute();
  await db
    .deleteFrom('snapshots')
    .where('state', '=', 'left')
    .where((eb) =>
      eb.or([
        eb('deploymentId', 'not in', eb.selectFrom('deployments').select('id').where('goneAt', 'is', null)),
        eb.exists(
          eb
            .selectFrom('snapshots as newer')
            .select('newer.id')
            .whereRef('newer.deploymentId', '=', 'snapshots.deploymentId')
            .whereRef('newer.createdAt', '>', 'snapshots.createdAt'),
        ),
      ]),
    )
    .execute();
}

/**
 * Returns the snapshot before an update: a pending one of any update, or a failed one of the update to the current
 * revision.
 */
export async function snapshotBeforeUpdate(
  db: Database,
  { id, revision }: { id: string; revision: number },
): Promise<Snapshot | undefined> {
  const row = await db
    .selectFrom('snapshots')
    .selectAll()
    .where('deploymentId', '=', id)
    .where('reason', '=', 'before-update')
    .where((eb) =>
      eb.or([eb('state', '=', 'asked'), eb.and([eb('state', '=', 'failed'), eb('revision', '=', revision - 1)])]),
    )
    .orderBy('state')
    .limit(1)
    .executeTakeFirst();
  return row && snapshotFrom(row);
}

/** Returns the instant of the newest snapshot of each deployment that takes snapshots. Null if it has none. */
export async function newestSnapshots(db: Database): Promise<{ deploymentId: string; takenAt: Instant | null }[]> {
  const rows = await db
    .selectFrom('deployments')
    .leftJoin('snapshots', (join) =>
      join.onRef('snapshots.deploymentId', '=', 'deployments.id').on('snapshots.state', '=', 'taken'),
    )
    .select((eb) => ['deployments.id', eb.fn.max('snapshots.takenAt').as('takenAt')])
    .where('goneAt', 'is', null)
    .groupBy('deployments.id')
    .execute();
  return rows.map(({ id, takenAt }) => ({ deploymentId: id, takenAt: takenAt === null ? null : Number(takenAt) }));
}

/**
 * Returns the password of a location. It is derived from the installation's key, so that it can be recovered if the
 * database is lost. It is also stored, sealed, so that it stays the same when that key changes.
 */
export async function passwordOfPlace(db: Database, seal: Seal, place: string): Promise<string> {
  const known = await db.selectFrom('snapshotPlaces').select('password').where('place', '=', place).executeTakeFirst();
  if (known) return seal.open(known.password);
  const password = Buffer.from(seal.derive('snapshots')).toString('base64url');
  await db
    .insertInto('snapshotPlaces')
    .values({ place, password: seal.close(password) })
    .execute();
  return password;
}

function snapshotFrom({ volumes, dumps, ...row }: Selectable<Tables['snapshots']>): Snapshot {
  return { ...row, volumes: JSON.parse(volumes), dumps: JSON.parse(dumps) };
}
