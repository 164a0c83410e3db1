/**
 * The first part of a restore: loads the snapshot into separate volumes while the deployment runs, and then takes a
 * snapshot of the current data. The next visit of the loop then stops the users of the volumes and swaps them. After a
 * kill before that, nothing has changed, and the next call starts again. A deployment that was started from a snapshot
 * does not have volumes yet: it waits, and the filled volumes become its first ones.
 */

import type { Repository } from '../backup/restic.ts';
import { fillFromTars } from '../backup/stored-tars.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { type LoadedDump, loadedOf } from '../deployment/snapshot/dump.ts';
import type { Restore, Snapshot } from '../deployment/snapshot/snapshot.ts';
import type { FilesBelow, FillableTars } from '../engine/volume-facets.ts';
import { newId } from '../lib/ids.ts';
import { transferTimeoutMs } from '../lib/transfer-timeout.ts';
import { wait } from '../lib/wait.ts';
import { atOnce, makeDue } from '../store/leases.ts';
import { recordFilled, recordFillProgress, recordRestoreAttempt, recordSafetySnapshot } from '../store/restores.ts';
import { volumeSizesOfDeployment } from '../store/revisions.ts';
import { requestSnapshot, snapshotById } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import { loadsAtOnce } from './dumps/database-tools.ts';
import { readThrough } from './dumps/dump-files.ts';
import { type DumpReader, idsOfDumps, pathOfDump, readerOf, readersFrom } from './dumps/dump-place.ts';
import { loadDumps, refuseUnlessRunning } from './dumps/take-dumps.ts';
import { clearUnlessBusy, messageOf, SnapshotFault, type SnapshotParts } from './snapshot-parts.ts';
import { folderOf, takenSnapshot, takeSnapshot } from './take-snapshot.ts';

/** How often it is noted how far it is. */
const progressEveryMs = 2_000;

/** Throws SnapshotFault, and faults of the engine and of the place. */
export async function fillRestore(restore: Restore, deployment: Deployment, parts: SnapshotParts): Promise<void> {
  const { db, engine, now, wake, stop } = parts;
  const { id: deploymentId } = deployment;
  const from = restore.fromDeploymentId ?? deploymentId;
  const snapshot = await takenSnapshot(db, restore.snapshotId);
  const present = await presentSizes(restore, parts);
  const missing = restore.volumes.filter((volume) => !present.get(volume));
  if (missing.length > 0)
    throw new SnapshotFault(`The deployment no longer has these volumes: ${missing.join(', ')}.`, { isFinal: true });
  const key = `${restore.id}-${newId()}`;
  if (!(await recordRestoreAttempt(db, restore.id, key))) return;
  if (restore.filledKey !== null) await clearUnlessBusy(restore.filledKey, parts);
  const repository = await parts.repository(from);
  const copied = restore.fromDeploymentId === null ? [...present.keys()] : [];
  const roomAside = await engine.copies.room(deploymentId, copied, folderOf(repository));
  if (roomAside - (snapshot.totalBytes ?? 0) < parts.diskFreeBytes)
    throw new SnapshotFault(
      'The disk of the host currently has no space for the restored data and a snapshot of the current data.',
    );
  const sizes = restore.volumes.map((volume) => ({
    volume,
    sizeBytes: Math.max(present.get(volume)!, ...sizesIn(snapshot, volume)),
  }));
  stop.throwIfAborted();
  const made = await engine.copies.make(from, sizes, key, deploymentId, stop);
  stop.throwIfAborted();
  const readerOfDump = await bring(repository, snapshot, made, { restore, from, key, parts });
  stop.throwIfAborted();
  await engine.copies.finish(from, restore.volumes, key, stop);
  const { dumps } = restore;
  // Checked before the safety snapshot: with dumps, it is taken only once, and data that is written between it and the
  // load can be lost.
  await refuseUnlessRunning(dumps, deploymentId, parts);
  if (restore.takesSafety) await takeSafety(restore, deployment, parts);
  const loading = loadDumps(dumps, readerOfDump, { deploymentId, totalBytes: snapshot.totalBytes ?? 0, parts });
  await loading.catch((error: unknown) => {
    // The load may be incomplete. The previous data is restored now, and not after further attempts, whose writes would
    // be lost.
    throw restore.takesSafety && !dumps.every(({ kind }) => loadsAtOnce(kind)) ? finalOf(error) : error;
  });
  stop.throwIfAborted();
  await write(db, { deploymentId }, async (db) => {
    if (await recordFilled(db, restore.id, key)) await makeDue(db, deploymentId, atOnce(now()));
  });
  wake(deploymentId);
}

function finalOf(error: unknown): SnapshotFault {
  return error instanceof SnapshotFault
    ? error.asFinal()
    : new SnapshotFault(messageOf(error), { isFinal: true, cause: error });
}

/** The sizes of the volumes to replace or to create. */
async function presentSizes(
  { deploymentId, fromDeploymentId }: Restore,
  { db, engine }: SnapshotParts,
): Promise<ReadonlyMap<string, number>> {
  if (fromDeploymentId !== null) return await volumeSizesOfDeployment(db, deploymentId);
  return await engine.copies.sizes(deploymentId);
}

function sizesIn({ volumes }: Snapshot, name: string): number[] {
  return volumes.flatMap(({ volume, sizeBytes }) => (volume === name ? [sizeBytes] : []));
}

type Filling = { restore: Restore; from: string; key: string; parts: SnapshotParts };

/** Records the progress: the bytes in the volumes, of the total. @returns The readers of the dumps. */
async function bring(
  repository: Repository,
  snapshot: Snapshot & { placeId: string },
  made: FilesBelow | FillableTars,
  { restore, from, key, parts }: Filling,
): Promise<(dump: LoadedDump) => DumpReader> {
  const { placeId, totalBytes, volumes } = snapshot;
  const withinMs = transferTimeoutMs(totalBytes ?? 0);
  const ended = new AbortController();
  const over = AbortSignal.any([ended.signal, parts.stop]);
  // Undefined if the size of some of the volumes is unknown.
  const wholeBytes = restore.volumes.length < volumes.length ? undefined : (totalBytes ?? undefined);
  const watching = (async () => {
    while (wholeBytes !== undefined) {
      await wait(progressEveryMs, over);
      if (over.aborted) return;
      const bytes = await parts.engine.copies.filledBytes(from, restore.volumes, key);
      await recordFillProgress(
        parts.db,
        restore.id,
        key,
        Math.min(99, Math.floor((bytes / Math.max(1, wholeBytes)) * 100)),
      );
    }
  })().catch((err: unknown) => parts.log.error({ err }, 'how far a restore is could not be noted'));
  try {
    if (made.kind === 'files') {
      await repository.bring(placeId, made.folder, [...made.paths, ...restore.dumps.map(pathOfDump)], withinMs);
      return (dump) => readerOf(made.folder, dump);
    }
    await fillFromTars(made, restore.volumes, snapshot, { repository, withinMs, stop: parts.stop });
    const ids = idsOfDumps(placeId, volumes);
    const readers = await readersFrom(ids, loadedOf(snapshot.dumps), { repository, withinMs });
    for (const { pod } of restore.dumps) await readThrough(readers.get(pod)!);
    return ({ pod }) => readers.get(pod)!;
  } finally {
    ended.abort();
    await watching;
  }
}

/** Taken as late as possible, because later writes are lost with the volumes. */
async function takeSafety(restore: Restore, deployment: Deployment, parts: SnapshotParts): Promise<void> {
  const { db, now } = parts;
  const { id: deploymentId, revision } = deployment;
  const known = restore.safetyId === null ? undefined : await snapshotById(db, restore.safetyId);
  const ask = () =>
    write(db, { deploymentId }, async (db) => {
      const requested = await requestSnapshot(db, { deploymentId, revision, reason: 'before-restore', now: now() });
      await recordSafetySnapshot(db, restore.id, requested.id);
      return requested;
    });
  // The snapshot of an earlier attempt is too old, unless that attempt may have begun to load a dump.
  if (known?.state === 'taken' && restore.dumps.length > 0) return;
  await takeSnapshot(known?.state === 'asked' ? known : await ask(), deployment, parts);
}
