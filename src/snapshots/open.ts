/**
 * The interface of this layer: snapshots of deployments, if the engine can copy volumes and a location is configured.
 */

import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { type BackupPlace, readBackupPlace } from '../backup/backup-place.ts';
import { openRepository } from '../backup/restic.ts';
import type { DeploymentEvent } from '../deployment/event/event.ts';
import type { Engine } from '../engine/engine.ts';
import type { VolumeCopies } from '../engine/volume-facets.ts';
import { serializeByKey } from '../lib/concurrency.ts';
import { runRounds } from '../lib/rounds.ts';
import type { Seal } from '../lib/seal.ts';
import { type Wait, wait } from '../lib/wait.ts';
import type { Database } from '../store/database.ts';
import { createDuty, type StoreProcess } from '../store/duties.ts';
import { addEvents } from '../store/events.ts';
import { atOnce, makeDue } from '../store/leases.ts';
import { failRestore, openRestores } from '../store/restores.ts';
import { findStoredRevision } from '../store/revisions.ts';
import { derivationOf } from '../store/seeds.ts';
import { passwordOfPlace, pendingSnapshots, recordFailedSnapshotAttempt } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import { clearCopies, type SnapshotParts } from './snapshot-parts.ts';
import { createSnapshotWorker, type SnapshotWorker } from './worker.ts';

export type SnapshotSettings = {
  dataDir: string;
  /** Default: a folder of the data directory, where volumes are on this machine too; on a cluster, none. */
  snapshots: BackupPlace | 'none' | undefined;
  diskFreeBytes: number;
};

export type OpenSnapshotParts = Omit<
  SnapshotParts,
  'repository' | 'startedPod' | 'engine' | 'diskFreeBytes' | 'stop'
> & {
  engine: Engine;
  seal: Seal;
  /** This process, as other processes on the database see it. */
  process?: StoreProcess | undefined;
};

/** Closing it aborts work in progress, which the next process starts again. */
export type OpenSnapshots = AsyncDisposable & { wake(): void };

/** The interval of checks for rows of other processes. */
const pollMs = 5_000;
/** The time limit for listing, checking or removing one deployment's data, because others wait. */
const patienceMs = 30 * 60_000;
/** The holder renews within this time, or has died. */
const dutyMs = 30_000;

export function offersSnapshots(settings: Pick<SnapshotSettings, 'snapshots'>, engine: Engine): boolean {
  return engine.copies !== undefined && isPlaceKnown(settings, engine);
}

/** On a cluster, the data directory of a process may only exist as long as its pod. */
function isPlaceKnown({ snapshots }: Pick<SnapshotSettings, 'snapshots'>, { cluster }: Engine): boolean {
  return snapshots === undefined ? cluster === undefined : snapshots !== 'none';
}

export function openSnapshots(
  settings: SnapshotSettings,
  { engine, seal, process: self, ...parts }: OpenSnapshotParts,
): OpenSnapshots {
  const { copies } = engine;
  const { snapshots, dataDir, diskFreeBytes } = settings;
  const { db, now, log } = parts;
  const duty = createDuty({ db, name: 'snapshots', forMs: dutyMs, process: self, now });
  const common = { name: 'snapshots', everyMs: pollMs, longestMs: pollMs };
  if (snapshots === 'none' || !copies || !isPlaceKnown(settings, engine)) {
    const onFault = (err: unknown) => log.error({ err }, 'left-over snapshots could not be ended; retrying');
    const rounds = runRounds({ ...common, work: endLeftOver({ ...parts, copies }, duty.take), onFault });
    return {
      wake() {},
      async [Symbol.asyncDispose]() {
        await rounds[Symbol.asyncDispose]();
        await duty.leave().catch(() => {});
      },
    };
  }
  const place = snapshots ?? readBackupPlace(join(dataDir, 'snapshots'));
  const stopping = new AbortController();

  /** The time in which this process has the duty. The work of one such time ends with it. */
  let tenure: { worker: SnapshotWorker; over: AbortSignal } | undefined;

  const begin = () => {
    const held = { renew: duty.take, forMs: dutyMs, wait, elapsed: () => performance.now(), stop: stopping.signal };
    const over = AbortSignal.any([stopping.signal, holdDuty(held)]);
    const repository = repositories(db, seal, place, over);
    const worker = createSnapshotWorker({
      ...parts,
      engine: { observe: engine.observe, copies, exec: engine.exec },
      repository,
      startedPod: (...which) => startedPod(db, seal, ...which),
      diskFreeBytes,
      stop: over,
    });
    return { worker, over };
  };

  async function work(): Promise<void> {
    if (tenure?.over.aborted !== false) tenure = begin();
    const { worker, over } = tenure;
    while (!over.aborted && (await worker.step()));
  }

  const rounds = runRounds({
    ...common,
    work,
    duty,
    onFault: (err) => log.error({ err }, 'work on snapshots failed; retrying'),
    signal: stopping.signal,
  });
  return {
    wake: rounds.soon,
    async [Symbol.asyncDispose]() {
      // Aborts a snapshot that is being taken; the next process starts it again.
      stopping.abort();
      await rounds[Symbol.asyncDispose]();
    },
  };
}

async function startedPod(
  db: SnapshotParts['db'],
  seal: Seal,
  ...[deploymentId, revision, pod]: Parameters<SnapshotParts['startedPod']>
): ReturnType<SnapshotParts['startedPod']> {
  const spec = (await findStoredRevision(db, seal, deploymentId, revision))?.spec.pods.find(({ name }) => name === pod);
  return spec && { spec, derive: await derivationOf(db, seal, deploymentId) };
}

/**
 * Returns a round that fails the requested snapshots once, and removes leftover copies of killed exports and backups.
 * `hasDuty`: false while another process takes snapshots, whose copies must stay.
 */
function endLeftOver({ copies, ...parts }: UnofferedParts, hasDuty: () => Promise<boolean>): () => Promise<void> {
  let areFailed = false;
  return async () => {
    if (!areFailed) await failUnoffered({ ...parts, copies });
    areFailed = true;
    if (copies && (await hasDuty())) await clearCopies({ ...parts, engine: { copies } });
  };
}

/** The passwords are in the store, which may be unavailable when the service starts. */
function repositories(
  db: SnapshotParts['db'],
  seal: Seal,
  place: BackupPlace,
  stop: AbortSignal,
): SnapshotParts['repository'] {
  const inTurn = serializeByKey();
  let password: string | undefined;
  return (deploymentId) =>
    inTurn(place.location, async () => {
      password ??= await write(db, 'all', (db) => passwordOfPlace(db, seal, place.location));
      const own = { stop, patienceMs };
      return openRepository(placeOf(place, deploymentId), passwordOf(password, deploymentId), process.env, own);
    });
}

/**
 * Each deployment has its own location below the common one. A location reveals nothing about others' data, and is
 * checked, removed and damaged independently.
 */

export function placeOf({ kind, location }: BackupPlace, deploymentId: string): BackupPlace {
  return { kind, location: kind === 'folder' ? join(location, deploymentId) : `${location}/${deploymentId}` };
}

/** `password`: of the place of all. */
export function passwordOf(password: string, deploymentId: string): string {
  return createHmac('sha256', password).update(deploymentId).digest('base64url');
}

/** Holds a duty during its work. If the duty is lost, or its state is unknown, the work is aborted at once. */

type HoldingParts = {
  /** Renews the duty for `forMs`. False: another process has it. A rejection: unknown. */
  renew: () => Promise<boolean>;
  forMs: number;
  wait: Wait;
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number;
  /** Stops without releasing the duty. */
  stop: AbortSignal;
};

/**
 * Holds a duty that was just acquired. The returned signal aborts when the duty is lost, with the reason. After `stop`,
 * the duty is not renewed.
 */
export function holdDuty({ renew, forMs, wait, elapsed, stop }: HoldingParts): AbortSignal {
  const lost = new AbortController();
  let heldAt = elapsed();
  void (async () => {
    while (!stop.aborted) {
      await wait(forMs / 3, stop);
      if (stop.aborted) return;
      const askedAt = elapsed();
      // After a long pause, another process may have had the duty since.
      const isLate = () => elapsed() - heldAt >= forMs;
      const isHeld = isLate() ? undefined : await renew().catch(() => undefined);
      if (isHeld === false) return lost.abort(new Error('Another process has the duty.'));
      if (isLate()) return lost.abort(new Error(`The duty was not renewed for ${Math.round(elapsed() - heldAt)} ms.`));
      if (isHeld) heldAt = askedAt;
    }
  })();
  return lost.signal;
}

/** Fails pending snapshots if snapshots are no longer enabled. */

const problem = 'This service no longer takes snapshots.';

type UnofferedParts = Pick<SnapshotParts, 'db' | 'now' | 'wake' | 'log'> & {
  /** Restores that are filled can still be swapped in. */
  copies: VolumeCopies | undefined;
};

/** Their deployments continue at once, with a message for their owners. */
export async function failUnoffered({ db, now, wake, log, copies }: UnofferedParts): Promise<void> {
  const snapshots = await pendingSnapshots(db);
  const restores = (await openRestores(db)).filter(({ state }) => state === 'asked' || !copies);
  for (const { id, deploymentId, tries } of snapshots)
    await recordEnd(deploymentId, { kind: 'snapshot', snapshot: 'failed', id, because: problem, isOver: true }, (db) =>
      recordFailedSnapshotAttempt(db, id, { tries, nextTryAt: now(), problem, isOver: true }),
    );
  for (const { id, deploymentId, snapshotId } of restores)
    await recordEnd(
      deploymentId,
      { kind: 'snapshot', snapshot: 'not-restored', id: snapshotId, because: problem, isOver: true },
      (db) => failRestore(db, id, problem, now()),
    );
  if (snapshots.length + restores.length > 0)
    log.info({ snapshots: snapshots.length, restores: restores.length }, 'snapshots are no longer offered');

  async function recordEnd(deploymentId: string, event: DeploymentEvent, end: (db: Database) => Promise<void>) {
    await write(db, { deploymentId }, async (db) => {
      await end(db);
      await addEvents(db, deploymentId, [{ at: now(), event }]);
      await makeDue(db, deploymentId, atOnce(now()));
    });
    wake(deploymentId);
  }
}
