/**
 * Takes a snapshot: its volumes are copied at one instant, and the data is read from the copies. After a kill at any
 * time, the row still exists, and the next call starts again and removes the leftovers.
 */

import type { ListedSnapshot, Repository, Saved } from '../backup/restic.ts';
import { idsOf, placeIdOf, type StoredTars, storeTars } from '../backup/stored-tars.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { loadedOf, withoutDumped } from '../deployment/snapshot/dump.ts';
import {
  neededBy,
  type SizedVolume,
  type Snapshot,
  type SnapshotReason,
  snapshotsToEvict,
  surplusSnapshots,
} from '../deployment/snapshot/snapshot.ts';
import { EngineFault } from '../engine/engine.ts';
import type { VolumeCopy } from '../engine/volume-facets.ts';
import { newId } from '../lib/ids.ts';
import { transferTimeoutMs } from '../lib/transfer-timeout.ts';
import { addEvents } from '../store/events.ts';
import { openRestores } from '../store/restores.ts';
import { volumeSizesOfDeployment } from '../store/revisions.ts';
import { awaken } from '../store/sleep.ts';
import {
  allSnapshotsOf,
  markSnapshotsForRemoval,
  recordSnapshotStart,
  recordTaken,
  snapshotById,
  snapshotsOf,
  snapshotsOfAccount,
} from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import { pathOfDump, writerInto, writerTo } from './dumps/dump-place.ts';
import { saveFirst } from './dumps/save-first.ts';
import { takeDumps } from './dumps/take-dumps.ts';
import { SnapshotFault, type SnapshotParts } from './snapshot-parts.ts';

/** The tag of all snapshots. */
const snapshotsTag = 'berth-snapshots';

/** A volume may contain sparse or hard-linked files. Legitimate ones do not exceed this factor. */
const maxApparent = 2;

export function snapshotTag(id: string): string {
  return `berth-snapshot-${id}`;
}

function tagsOf({ id, deploymentId }: Snapshot): string[] {
  return [snapshotsTag, snapshotTag(id), `berth-snapshots-of-${deploymentId}`];
}

/** Throws SnapshotFault, and faults of the engine and of the place. */
export async function takeSnapshot(snapshot: Snapshot, deployment: Deployment, parts: SnapshotParts): Promise<void> {
  const { db, engine, now, metrics, stop } = parts;
  const present = await volumesToTake(deployment, parts);
  const volumes = withoutDumped(present, snapshot.dumps);
  await refuseBeyondTerms(snapshot, deployment, parts);
  const names = volumes.map(({ volume }) => volume);
  const repository = await parts.repository(deployment.id);
  // Without a dump, the volumes of a frozen deployment are copied as they are.
  if (deployment.sleep !== null && snapshot.dumps.length > 0) await awaken(db, deployment.id, parts);
  await saveFirst(snapshot.dumps, { deploymentId: deployment.id, volumes: present, parts });
  stop.throwIfAborted();
  if ((await engine.copies.room(deployment.id, names, folderOf(repository))) < parts.diskFreeBytes)
    throw new SnapshotFault(
      'The disk of the host currently has no room for a copy of its volumes and for the snapshot.',
    );
  const found = await repository.provide();
  const others = await clearLeft(found.kept, repository, snapshot, parts);
  // The copy of an earlier attempt may be in use until its program has ended.
  const key = `${snapshot.id}-${newId()}`;
  try {
    stop.throwIfAborted();
    const copied =
      names.length > 0 ? engine.copies.take(deployment.id, names, key, stop) : nothingCopied(deployment, key, parts);
    const copy = await copied.catch((error: unknown) => {
      // Before a restore, the snapshot is retried, because the duration of a copy depends on the load of the host.
      throw snapshot.reason === 'before-restore' ? error : finalOf(error);
    });
    stop.throwIfAborted();
    const takenAt = now();
    refuseHoles(copy.apparentBytes, volumes, snapshot.reason);
    await recordSnapshotStart(db, snapshot, now());
    const keeping = { snapshot, parent: others.at(-1)?.id, present, names, parts };
    const kept = storeChecked(copy, repository, keeping);
    const { placeId, totalBytes, addedBytes } = await kept.catch(async (error: unknown) => {
      if (!stop.aborted) await clearAfterFault(repository, snapshot, parts);
      throw error;
    });
    const { pausedMs } = copy;
    const taken = { placeId, takenAt, volumes, totalBytes, addedBytes, pausedMs: Math.ceil(pausedMs) };
    const { id, reason } = snapshot;
    const event = { kind: 'snapshot', snapshot: 'taken', id, reason, totalBytes, pausedMs: taken.pausedMs } as const;
    await write(db, { deploymentId: deployment.id }, async (db) => {
      // If its deployment was removed, the snapshot is removed with the others.
      if (await recordTaken(db, snapshot.id, taken)) await addEvents(db, deployment.id, [{ at: now(), event }]);
    });
    metrics.snapshots.inc({ result: 'taken' });
  } finally {
    await engine.copies.clear(key);
  }
}

/** Removes leftovers of killed or stopped attempts, of this snapshot or others. @returns what stays of `kept`. */
async function clearLeft(
  kept: readonly ListedSnapshot[],
  repository: Repository,
  snapshot: Snapshot,
  { db }: SnapshotParts,
): Promise<readonly ListedSnapshot[]> {
  const begun = (await allSnapshotsOf(db, snapshot.deploymentId)).filter(({ begunAt }) => begunAt !== null);
  const tags = new Set([snapshot, ...begun].map(({ id }) => snapshotTag(id)));
  const { left = [], others = [] } = Object.groupBy(kept, (each) =>
    each.tags.some((tag) => tags.has(tag)) ? 'left' : 'others',
  );
  if (left.length > 0) await repository.drop(left.map(({ id }) => id));
  else if (begun.length > 0) await repository.clear();
  else return kept;
  await recordSnapshotStart(db, snapshot, null);
  return others;
}

/**
 * The space is released until the next attempt, or permanently. Volumes are stored separately, so some may be complete.
 */
async function clearAfterFault(repository: Repository, snapshot: Snapshot, { db, log }: SnapshotParts): Promise<void> {
  await repository
    .list(snapshotTag(snapshot.id))
    .then((whole) => (whole.length > 0 ? repository.drop(whole.map(({ id }) => id)) : repository.clear()))
    .then(() => recordSnapshotStart(db, snapshot, null))
    .catch((err: unknown) => log.error({ err }, 'the partial data of a snapshot cannot be removed yet'));
}

type Keeping = {
  snapshot: Snapshot;
  /** The previous snapshot in the location. */
  parent: string | undefined;
  present: readonly SizedVolume[];
  names: readonly string[];
  parts: SnapshotParts;
};

async function storeChecked(copy: VolumeCopy, repository: Repository, keeping: Keeping) {
  const saved = await storeCopy(copy, repository, keeping);
  await repository.check(false);
  return saved;
}

async function storeCopy(
  copy: VolumeCopy,
  repository: Repository,
  { snapshot, parent, present, names, parts }: Keeping,
): Promise<Omit<Saved, 'id'> & { placeId: string }> {
  const { deploymentId } = snapshot;
  const dumps = loadedOf(snapshot.dumps);
  const saving = { tags: tagsOf(snapshot), mayBeRenamed: false };
  const taking = { deploymentId, volumes: present, parts };
  if (copy.kind === 'tars') {
    const tars = await storeTars(copy, names, repository, {
      ...saving,
      withinMs: transferTimeoutMs(copy.apparentBytes),
    });
    const withinMs = transferTimeoutMs(present.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    const files: Saved[] = [];
    const writer = writerInto(repository, { ...saving, withinMs }, (saved) => void files.push(saved));
    await takeDumps(dumps, () => writer, { ...taking, targetFolder: folderOf(repository) });
    return withFiles(tars, files);
  }
  const dumpedBytes = await takeDumps(dumps, (dump) => writerTo(copy.folder, dump), taking);
  parts.stop.throwIfAborted();
  const { id: placeId, ...saved } = await repository.save(copy.folder, [...copy.paths, ...dumps.map(pathOfDump)], {
    ...saving,
    parent,
    withinMs: transferTimeoutMs(copy.apparentBytes + dumpedBytes),
  });
  return { placeId, ...saved };
}

/** Prepares a folder for dumps only, if volumes are in a folder. */
async function nothingCopied({ id }: Deployment, key: string, { engine }: SnapshotParts): Promise<VolumeCopy> {
  const made = await engine.copies.make(id, [], key);
  if (made.kind === 'files') return { ...made, pausedMs: 0, apparentBytes: 0 };
  return { kind: 'tars', sizes: new Map(), read: async () => {}, pausedMs: 0, apparentBytes: 0 };
}

/** PURE. Under one id, the files after the volumes. */
function withFiles(tars: StoredTars, files: readonly Saved[]): StoredTars {
  return {
    placeId: placeIdOf([...idsOf(tars.placeId), ...files.map(({ id }) => id)]),
    totalBytes: files.reduce((sum, { totalBytes }) => sum + totalBytes, tars.totalBytes),
    addedBytes: files.reduce((sum, { addedBytes }) => sum + addedBytes, tars.addedBytes),
  };
}

async function volumesToTake({ id }: Deployment, { db, engine }: SnapshotParts) {
  const wanted = [...(await volumeSizesOfDeployment(db, id)).keys()].sort();
  const sizes = await engine.copies.sizes(id);
  const missing = wanted.filter((volume) => !sizes.get(volume));
  if (missing.length > 0)
    throw new SnapshotFault(
      `Not created yet, or without a file system of their own on this host: ${missing.join(', ')}.`,
    );
  return wanted.map((volume) => ({ volume, sizeBytes: sizes.get(volume)! }));
}

/** Returns the folder of the location, which may be on the disk of the volumes. */
export function folderOf({ place }: Repository): string | undefined {
  return place.kind === 'folder' ? place.location : undefined;
}

/** A retry would fail in the same way, because the engine has refused the request. */
function finalOf(error: unknown): unknown {
  if (!(error instanceof EngineFault && error.endsTry)) return error;
  return new SnapshotFault(error.message, { isFinal: true, cause: error });
}

/** PURE. `apparentBytes`: the total size of all files when read, as a restore would. Throws SnapshotFault. */
export function refuseHoles(apparentBytes: number, volumes: readonly SizedVolume[], reason: SnapshotReason): void {
  const bytes = volumes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (apparentBytes <= maxApparent * bytes) return;
  throw new SnapshotFault(
    `The files of its volumes are more than ${maxApparent} times as large as the volumes, by holes in them or by files with ` +
      `several names: such files cannot be kept.${reason === 'before-restore' ? ' A restore without a snapshot beforehand does not need that.' : ''}`,
    { isFinal: true },
  );
}

async function refuseBeyondTerms(
  { reason }: Snapshot,
  deployment: Deployment,
  { db, termsOf }: SnapshotParts,
): Promise<void> {
  // Without it the owner's data could not be restored.
  if (reason === 'before-restore') return;
  const { bytes, accountId } = await termsOf(deployment);
  const kept = accountId === undefined ? await snapshotsOf(db, deployment.id) : await snapshotsOfAccount(db, accountId);
  const leaving = snapshotsToEvict(kept, { bytes }, neededBy(await openRestores(db)));
  if (!leaving)
    throw new SnapshotFault('The snapshots of this account use all the space that its plan allows: delete one.', {
      isFinal: true,
    });
  await markSnapshotsForRemoval(
    db,
    leaving.map(({ id }) => id),
  );
}

/** Only the newest failure is kept, too. */
export async function evictSurplus(deployment: Deployment, { db, termsOf }: SnapshotParts): Promise<void> {
  const needed = neededBy(await openRestores(db));
  const surplus = surplusSnapshots(await snapshotsOf(db, deployment.id), await termsOf(deployment), needed);
  await markSnapshotsForRemoval(
    db,
    surplus.map(({ id }) => id),
  );
}

/** Returns a snapshot that can be restored. */
export async function takenSnapshot(db: SnapshotParts['db'], id: string): Promise<Snapshot & { placeId: string }> {
  const snapshot = await snapshotById(db, id);
  if (snapshot?.state === 'taken' && snapshot.placeId !== null) return { ...snapshot, placeId: snapshot.placeId };
  throw new SnapshotFault('The snapshot is no longer kept.', { isFinal: true });
}
