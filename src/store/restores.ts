/** Requested restores from snapshots. */
import type { Selectable } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { LoadedDump } from '../deployment/snapshot/dump.ts';
import type { Restore } from '../deployment/snapshot/snapshot.ts';
import { newId } from '../lib/ids.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import type { FailedAttempt } from './snapshots.ts';

export type RestoreRequest = {
  deploymentId: string;
  snapshotId: string;
  volumes: string[];
  dumps?: LoadedDump[];
  now: Instant;
  /** The deployment of the snapshot. Default: its own. */
  fromDeploymentId?: string;
  /** Default: where it is its own. */
  takesSafety?: boolean;
};

export async function requestRestore(
  db: Database,
  { deploymentId, snapshotId, fromDeploymentId, takesSafety, volumes, dumps = [], now }: RestoreRequest,
): Promise<Restore> {
  const requested: Restore = {
    id: newId(),
    deploymentId,
    snapshotId,
    fromDeploymentId: fromDeploymentId ?? null,
    volumes,
    dumps,
    state: 'asked',
    takesSafety: takesSafety ?? fromDeploymentId === undefined,
    safetyId: null,
    filledKey: null,
    progress: null,
    createdAt: now,
    finishedAt: null,
    tries: 0,
    nextTryAt: now,
    problem: null,
    toldAt: null,
  };
  await db
    .insertInto('restores')
    .values({
      ...requested,
      volumes: JSON.stringify(volumes),
      dumps: JSON.stringify(dumps),
      takesSafety: requested.takesSafety ? 1 : 0,
    })
    .execute();
  return requested;
}

/** The newest first. */
export async function restoresOf(db: Database, deploymentId: string): Promise<Restore[]> {
  const rows = await db
    .selectFrom('restores')
    .selectAll()
    .where('deploymentId', '=', deploymentId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(restoreFrom);
}

/** The restores that are not finished. */
export async function openRestores(db: Database): Promise<Restore[]> {
  const rows = await db.selectFrom('restores').selectAll().where('state', 'in', ['asked', 'filled']).execute();
  return rows.map(restoreFrom);
}

export async function nextPendingRestore(db: Database, now: Instant): Promise<Restore | undefined> {
  const row = await db
    .selectFrom('restores')
    .selectAll()
    .where('state', '=', 'asked')
    .where('nextTryAt', '<=', now)
    .orderBy('nextTryAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && restoreFrom(row);
}

/** The restore that the next visit swaps in. */
export async function filledRestore(
  db: Database,
  deploymentId: string,
): Promise<(Restore & { filledKey: string }) | undefined> {
  const row = await db
    .selectFrom('restores')
    .selectAll()
    .where('deploymentId', '=', deploymentId)
    .where('state', '=', 'filled')
    .where('filledKey', 'is not', null)
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
  return row && { ...restoreFrom(row), filledKey: row.filledKey! };
}

/**
 * Returns the restore into a deployment that was started from a snapshot, while it is pending or after it failed. The
 * deployment must not run then, because its volumes would be empty.
 */
export async function restoreInto(db: Database, deploymentId: string): Promise<Restore | undefined> {
  const row = await db
    .selectFrom('restores')
    .selectAll()
    .where('deploymentId', '=', deploymentId)
    .where('fromDeploymentId', 'is not', null)
    .where('state', 'in', ['asked', 'filled', 'failed'])
    .executeTakeFirst();
  return row && restoreFrom(row);
}

/** Returns the progress of the attempt. */
export async function recordFillProgress(db: Database, id: string, filledKey: string, progress: number): Promise<void> {
  await db
    .updateTable('restores')
    .set({ progress })
    .where('id', '=', id)
    .where('state', '=', 'asked')
    .where('filledKey', '=', filledKey)
    .execute();
}

export async function recordSafetySnapshot(db: Database, id: string, safetyId: string): Promise<void> {
  await db.updateTable('restores').set({ safetyId }).where('id', '=', id).execute();
}

/** Records a new attempt, which replaces earlier ones. Returns false if the restore was canceled. */
export async function recordRestoreAttempt(db: Database, id: string, filledKey: string): Promise<boolean> {
  const result = await db
    .updateTable('restores')
    .set((eb) => ({ filledKey, progress: 0, tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'asked')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns false if the restore was canceled, or belongs to another attempt. */
export async function recordFilled(db: Database, id: string, filledKey: string): Promise<boolean> {
  const result = await db
    .updateTable('restores')
    .set({ state: 'filled', problem: null, progress: 100 })
    .where('id', '=', id)
    .where('state', '=', 'asked')
    .where('filledKey', '=', filledKey)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The filled volume is gone, so it must be filled again. */
export async function refillRestore(db: Database, id: string, now: Instant): Promise<void> {
  await db
    .updateTable('restores')
    .set({ state: 'asked', filledKey: null, progress: null, nextTryAt: now })
    .where('id', '=', id)
    .where('state', '=', 'filled')
    .execute();
}

/** Notes that a restore is done. */
export async function recordRestored(db: Database, id: string, now: Instant): Promise<void> {
  await db
    .updateTable('restores')
    .set({ state: 'done', finishedAt: now })
    .where('id', '=', id)
    .where('state', '=', 'filled')
    .execute();
}

export async function recordFailedAttempt(
  db: Database,
  id: string,
  { isOver, ...failed }: FailedAttempt,
  now: Instant,
): Promise<void> {
  await db
    .updateTable('restores')
    .set({ ...failed, ...(isOver && { state: 'failed', finishedAt: now }) })
    .where('id', '=', id)
    .where('state', '=', 'asked')
    .execute();
}

/** Ends a restore in any state. */
export async function failRestore(db: Database, id: string, problem: string, now: Instant): Promise<void> {
  await db
    .updateTable('restores')
    .set({ state: 'failed', problem, finishedAt: now })
    .where('id', '=', id)
    .where('state', 'in', ['asked', 'filled'])
    .execute();
}

/** Deletes restores of deployments without retained data. */
export async function deleteRestoresOfRemoved(db: Database): Promise<void> {
  await db
    .deleteFrom('restores')
    .where('deploymentId', 'not in', (eb) => eb.selectFrom('deployments').select('id').where('goneAt', 'is', null))
    .execute();
}

function restoreFrom({ volumes, dumps, takesSafety, ...row }: Selectable<Tables['restores']>): Restore {
  return { ...row, volumes: JSON.parse(volumes), dumps: JSON.parse(dumps), takesSafety: takesSafety === 1 };
}
