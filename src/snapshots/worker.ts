/**
 * The work on snapshots, one task after another: requested restores, then snapshots, then scheduled snapshots and
 * removals. Its whole state is in the store.
 */
import type { Deployment, Instant } from '../deployment/deployment.ts';
import type { DeploymentEvent } from '../deployment/event/event.ts';
import {
  isSnapshotDue,
  isWorthNotifying,
  maxInterrupted,
  maxTries,
  type Restore,
  retryAt,
  type Snapshot,
} from '../deployment/snapshot/snapshot.ts';
import type { Database } from '../store/database.ts';
import { deploymentById } from '../store/deployments.ts';
import { addEvents } from '../store/events.ts';
import { atOnce, makeDue } from '../store/leases.ts';
import { retainedDeployments } from '../store/restorable-deployments.ts';
import {
  deleteRestoresOfRemoved,
  nextPendingRestore,
  openRestores,
  recordFailedAttempt,
  requestRestore,
} from '../store/restores.ts';
import {
  allSnapshotsOf,
  deleteSnapshots,
  type FailedAttempt,
  markSnapshotsForRemoval,
  markSnapshotsOfRemoved,
  newestSnapshots,
  nextPendingSnapshot,
  recordAttempt,
  recordFailedSnapshotAttempt,
  requestSnapshot,
  revokeAttempt,
  snapshotById,
  snapshotsOf,
  snapshotsToRemove,
} from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import { loadsAtOnce } from './dumps/database-tools.ts';
import { fillRestore } from './fill-restore.ts';
import { clearCopies, messageOf, SnapshotFault, type SnapshotParts } from './snapshot-parts.ts';
import { evictSurplus, snapshotTag, takeSnapshot } from './take-snapshot.ts';

/** The schedule needs a row of each deployment. */
const scheduleEveryMs = 60_000;
/** Removing unused data takes time in proportion to the size of the location. */
const leaveEveryMs = 10 * 60_000;

export type SnapshotWorker = {
  /** Runs the next task. Returns false if nothing is due now. */
  step(): Promise<boolean>;
};

export function createSnapshotWorker(parts: SnapshotParts): SnapshotWorker {
  const { db, now } = parts;
  let scheduledAt: Instant | undefined;
  let leftAt: Instant | undefined;

  async function restoreNext(): Promise<boolean> {
    const restore = await nextPendingRestore(db, now());
    if (!restore) return false;
    const deployment = await presentDeployment(parts, restore.deploymentId);
    if (!deployment) {
      await endRestore(parts, restore.id);
      return true;
    }
    await fillBegun(restore, deployment).catch((error: unknown) =>
      fail(restore, deployment, error, 'restores', async (db, failure) => {
        const { isOver } = failure;
        const because = `${failure.problem}${isOver ? await undo(db, restore.id) : ''}`;
        await recordFailedAttempt(db, restore.id, { ...failure, problem: because }, now());
        return { kind: 'snapshot', snapshot: 'not-restored', id: restore.snapshotId, because, isOver };
      }),
    );
    await evictSurplus(deployment, parts);
    return true;
  }

  async function fillBegun(restore: Restore, deployment: Deployment): Promise<void> {
    refuseCutOff(restore, 'restored');
    await fillRestore(restore, deployment, parts);
  }

  /** After a partial load of a dump, the previous data is restored. */
  async function undo(db: Database, restoreId: string): Promise<string> {
    const { deploymentId, dumps, safetyId } = (await openRestores(db)).find(({ id }) => id === restoreId)!;
    const volumes = dumps.filter(({ kind }) => !loadsAtOnce(kind)).flatMap(({ volumes }) => volumes);
    const safety = safetyId === null ? undefined : await snapshotById(db, safetyId);
    if (volumes.length === 0 || safety?.state !== 'taken') return '';
    await requestRestore(db, { deploymentId, snapshotId: safety.id, volumes, takesSafety: false, now: now() });
    return ` The previous data is being restored from snapshot ${safety.id}.`;
  }

  async function takeNext(): Promise<boolean> {
    const snapshot = await nextPendingSnapshot(db, now());
    if (!snapshot) return false;
    const deployment = await presentDeployment(parts, snapshot.deploymentId);
    if (!deployment) {
      await markSnapshotsForRemoval(db, [snapshot.id]);
      return true;
    }
    await takeBegun(snapshot, deployment).catch((error: unknown) =>
      fail(snapshot, deployment, error, 'snapshots', async (db, failure) => {
        await recordFailedSnapshotAttempt(db, snapshot.id, failure);
        const { problem: because, isOver } = failure;
        return { kind: 'snapshot', snapshot: 'failed', id: snapshot.id, because, isOver };
      }),
    );
    await evictSurplus(deployment, parts);
    if (snapshot.reason === 'before-update') {
      await makeDue(db, deployment.id, atOnce(now()));
      parts.wake(deployment.id);
    }
    return true;
  }

  /**
   * The attempt is counted at its start. An attempt that crashes the service each time is therefore not repeated
   * forever.
   */
  async function takeBegun(snapshot: Snapshot, deployment: Deployment): Promise<void> {
    refuseCutOff(snapshot, 'taken');
    await recordAttempt(db, snapshot.id, snapshot.tries + 1);
    await takeSnapshot(snapshot, deployment, parts);
  }

  async function fail(
    { id, tries: before, problem: known, toldAt }: Pick<Snapshot, 'id' | 'tries' | 'problem' | 'toldAt'>,
    deployment: Deployment,
    error: unknown,
    of: 'snapshots' | 'restores',
    recordFailure: (
      db: Parameters<typeof recordFailedSnapshotAttempt>[0],
      failure: FailedAttempt,
    ) => Promise<DeploymentEvent>,
  ): Promise<void> {
    const { stop, log } = parts;
    const tries = before + 1;
    if (stop.aborted) {
      await revokeAttempt(db, of, { id, tries });
      log.info(
        { deployment: deployment.id, because: String(stop.reason) },
        'the process on duty restarts a snapshot or a restore',
      );
      return;
    }
    log.error({ deployment: deployment.id, err: error }, 'a snapshot could not be taken or restored');
    parts.metrics.snapshots.inc({ result: 'failed' });
    // A failure with a message ends the attempts at the limit. Interrupted ones have a higher limit.
    const isOver = (tries >= maxTries && known !== null) || (error instanceof SnapshotFault && error.isFinal);
    const problem = error instanceof SnapshotFault ? error.ownersWords : messageOf(error);
    const isReported = isWorthNotifying({ toldAt }, { tries, isOver });
    const nextTryAt = retryAt(Math.min(tries, maxTries), now());
    const failure = { tries, nextTryAt, problem, isOver, ...(isReported && { toldAt: now() }) };
    await write(db, { deploymentId: deployment.id }, async (db) => {
      const event = await recordFailure(db, failure);
      await addEvents(db, deployment.id, [{ at: now(), event }]);
    });
    if (isReported) await notifyOwner(deployment, messageOf(error));
  }

  async function notifyOwner(deployment: Deployment, problem: string): Promise<void> {
    const { applicationName: name } = deployment;
    const mail = { subject: `No snapshot of ${name}`, text: `The data of ${name} were not kept: ${problem}\n` };
    await parts.mailOwner?.(deployment, mail).catch((err: unknown) => parts.log.error({ err }, 'a mail was not taken'));
  }

  async function followSchedule(): Promise<boolean> {
    if (!hasPassed(scheduledAt, scheduleEveryMs, now())) return false;
    scheduledAt = now();
    await markSnapshotsOfRemoved(db);
    await deleteRestoresOfRemoved(db);
    // A stopped deployment writes no data. Identical snapshots would displace older ones.
    const kept = (await retainedDeployments(db)).filter(({ stoppedAt }) => stoppedAt === null);
    let isRequested = false;
    for (const { id } of kept) isRequested = (await scheduleOne(id)) || isRequested;
    const newest = new Map((await newestSnapshots(db)).map(({ deploymentId, takenAt }) => [deploymentId, takenAt]));
    const oldest = Math.min(...kept.map(({ id }) => newest.get(id) ?? 0));
    parts.metrics.oldestSnapshot.set(kept.length === 0 ? 0 : Math.floor(oldest / 1000));
    return isRequested;
  }

  async function scheduleOne(id: string): Promise<boolean> {
    const deployment = await presentDeployment(parts, id);
    if (deployment?.state !== 'running') return false;
    const terms = await parts.termsOf(deployment);
    return await write(db, { deploymentId: id }, async (db) => {
      if (!isSnapshotDue(await allSnapshotsOf(db, id), terms, now())) return false;
      await requestSnapshot(db, { deploymentId: id, revision: deployment.revision, reason: 'schedule', now: now() });
      return true;
    });
  }

  /** Their rows go last, so that the removal is repeated after a kill. */
  async function letGo(): Promise<void> {
    if (!hasPassed(leftAt, leaveEveryMs, now())) return;
    const leaving = await snapshotsToRemove(db);
    if (leaving.length === 0) return;
    leftAt = now();
    for (const [deploymentId, its] of Map.groupBy(leaving, (each) => each.deploymentId))
      await letGoOf(deploymentId, its).catch((err: unknown) => {
        if (!parts.stop.aborted) parts.log.error({ deployment: deploymentId, err }, 'snapshots could not be removed');
      });
  }

  async function letGoOf(deploymentId: string, leaving: readonly Snapshot[]): Promise<void> {
    const repository = await parts.repository(deploymentId);
    const stay = (await snapshotsOf(db, deploymentId)).filter(({ state }) => state !== 'failed');
    if (stay.length === 0) await repository.remove();
    else {
      const { kept } = await repository.provide();
      const tags = new Set(leaving.map(({ id }) => snapshotTag(id)));
      const ids = kept.flatMap(({ id, tags: its }) => (its.some((tag) => tags.has(tag)) ? [id] : []));
      if (ids.length > 0) await repository.drop(ids);
      else if (leaving.some(({ begunAt }) => begunAt !== null)) await repository.clear();
    }
    await deleteSnapshots(
      db,
      leaving.map(({ id }) => id),
    );
    parts.log.info({ snapshots: leaving.length }, 'removed snapshots beyond the retention limits');
  }

  return {
    async step() {
      await clearCopies(parts);
      if ((await restoreNext()) || (await takeNext()) || (await followSchedule())) return true;
      await letGo();
      return false;
    },
  };
}

/** More interruptions than restarts of the service can explain. */
function refuseCutOff({ tries }: { tries: number }, done: string): void {
  if (tries < maxInterrupted) return;
  throw new SnapshotFault(`The service ended ${tries} times before it was ${done}.`, { isFinal: true });
}

/** Undefined for an ended deployment, whose data is not copied or changed. */
async function presentDeployment({ db }: SnapshotParts, id: string): Promise<Deployment | undefined> {
  const deployment = await deploymentById(db, id);
  return deployment && deployment.removedAt === null && deployment.state !== 'expired' ? deployment : undefined;
}

async function endRestore({ db, now }: SnapshotParts, id: string): Promise<void> {
  const failure = { tries: 0, nextTryAt: now(), problem: 'The deployment has ended.', isOver: true };
  await recordFailedAttempt(db, id, failure, now());
}

/** Also correct if the clock was set back. */
function hasPassed(since: Instant | undefined, ms: number, now: Instant): boolean {
  return since === undefined || now < since || now - since >= ms;
}
