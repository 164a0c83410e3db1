/**
 * The first part of a restore: what is in the snapshot is put into volumes beside those in use, while the deployment runs,
 * and then a snapshot is taken of what is there. From then on the next visit of the loop stops whoever uses the volumes,
 * and swaps them. Killed at any instant before that, nothing has changed, and the next call begins anew.
 */
import type { Deployment } from '../deployment/deployment.ts';
import type { Restore, Snapshot } from '../deployment/snapshot/snapshot.ts';
import { newId } from '../lib/ids.ts';
import { atOnce, makeDue } from '../store/leases.ts';
import { noteFilled, noteSafety, noteTry } from '../store/restores.ts';
import { askForSnapshot, snapshotById } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import { clearUnlessBusy, SnapshotFault, type SnapshotParts } from './snapshot-parts.ts';
import { folderOf, movingMs, takenSnapshot, takeSnapshot } from './take-snapshot.ts';

/** Throws SnapshotFault, and faults of the engine and of the place. */
export async function fillRestore(restore: Restore, deployment: Deployment, parts: SnapshotParts): Promise<void> {
  const { db, engine, now, wake, stop } = parts;
  const { id: deploymentId } = deployment;
  const snapshot = await takenSnapshot(db, restore.snapshotId);
  const { volumeSizes = {} } = await engine.observe(deploymentId, []);
  const missing = restore.volumes.filter((volume) => !volumeSizes[volume]);
  if (missing.length > 0)
    throw new SnapshotFault(`The deployment has these volumes no more: ${missing.join(', ')}.`, { isFinal: true });
  const key = `${restore.id}-${newId()}`;
  if (!(await noteTry(db, restore.id, key))) return;
  if (restore.filledKey !== null) await clearUnlessBusy(restore.filledKey, parts);
  const repository = await parts.repository(deploymentId);
  const roomAside = await engine.copies.room(deploymentId, Object.keys(volumeSizes), folderOf(repository));
  if (roomAside - (snapshot.totalBytes ?? 0) < parts.diskFreeBytes)
    throw new SnapshotFault(
      'The disk of the host has no room for the data beside those in use, and for a snapshot of these, now.',
    );
  const sizes = restore.volumes.map((volume) => ({
    volume,
    sizeBytes: Math.max(volumeSizes[volume]!, ...sizesIn(snapshot, volume)),
  }));
  stop.throwIfAborted();
  const { folder, paths } = await engine.copies.make(deploymentId, sizes, key);
  stop.throwIfAborted();
  await repository.bring(snapshot.placeId, folder, paths, movingMs(snapshot.totalBytes ?? 0));
  stop.throwIfAborted();
  await engine.copies.finish(deploymentId, restore.volumes, key);
  await takeSafety(restore, deployment, parts);
  stop.throwIfAborted();
  await write(db, { deploymentId }, async (db) => {
    if (await noteFilled(db, restore.id, key)) await makeDue(db, deploymentId, atOnce(now()));
  });
  wake(deploymentId);
}

function sizesIn({ volumes }: Snapshot, name: string): number[] {
  return volumes.flatMap(({ volume, sizeBytes }) => (volume === name ? [sizeBytes] : []));
}

/** As late as possible: what is written after it is lost with the volumes. */
async function takeSafety(restore: Restore, deployment: Deployment, parts: SnapshotParts): Promise<void> {
  const { db, now } = parts;
  const { id: deploymentId, revision } = deployment;
  const known = restore.safetyId === null ? undefined : await snapshotById(db, restore.safetyId);
  const ask = () =>
    write(db, { deploymentId }, async (db) => {
      const asked = await askForSnapshot(db, { deploymentId, revision, reason: 'before-restore', now: now() });
      await noteSafety(db, restore.id, asked.id);
      return asked;
    });
  // One that an earlier try has taken is too old.
  await takeSnapshot(known?.state === 'asked' ? known : await ask(), deployment, parts);
}
