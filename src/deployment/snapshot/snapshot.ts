/** PURE. Snapshots of a deployment's volumes: when one is due, which are kept, and how much space they use. */
import type { Instant } from '../deployment.ts';
import type { Dump, LoadedDump } from './dump.ts';

/** The reason for a snapshot. */
export const snapshotReasons = ['asked', 'schedule', 'before-update', 'before-restore'] as const;
export type SnapshotReason = (typeof snapshotReasons)[number];

/** `leaving`: its data is being deleted. `left`: its data is deleted, and only its row remains. */
export const snapshotStates = ['asked', 'taken', 'failed', 'leaving', 'left'] as const;
export type SnapshotState = (typeof snapshotStates)[number];

export type SizedVolume = { volume: string; sizeBytes: number };

export type Snapshot = {
  id: string;
  deploymentId: string;
  /** The latest revision when it was taken. */
  revision: number;
  reason: SnapshotReason;
  state: SnapshotState;
  createdAt: Instant;
  /** The instant of its data. */
  takenAt: Instant | null;
  /** Its ID in the backup location. */
  placeId: string | null;
  /** Volumes that are stored as files. */
  volumes: SizedVolume[];
  /** Databases that are stored, or will be, as dumps of their own tools. */
  dumps: Dump[];
  totalBytes: number | null;
  /** Bytes that were new in the backup place. */
  addedBytes: number | null;
  /** How long writers were frozen. */
  pausedMs: number | null;
  /** The number of started attempts. */
  tries: number;
  nextTryAt: Instant;
  /** The reason why the last attempt failed, for the owner. */
  problem: string | null;
  /** When the owner was last notified of failures. */
  toldAt: Instant | null;
  /** When an attempt began to write to the location. Null if it cannot have left unnamed data there. */
  begunAt: Instant | null;
};

export const restoreStates = ['asked', 'filled', 'done', 'failed'] as const;
export type RestoreState = (typeof restoreStates)[number];

/** A restore of volumes. `filled`: the replacements are filled, and the next visit swaps them in. */
export type Restore = {
  id: string;
  /** The deployment that gets the volumes. */
  deploymentId: string;
  snapshotId: string;
  /** The deployment of the snapshot, if the restore starts a new deployment. */
  fromDeploymentId: string | null;
  volumes: string[];
  /** Dumps that the running databases load. */
  dumps: LoadedDump[];
  state: RestoreState;
  /** Whether a snapshot of the current data is taken first; false for a new deployment. */
  takesSafety: boolean;
  /** The id of that snapshot. */
  safetyId: string | null;
  /** The key of the replacements of the latest attempt. Each attempt has its own. */
  filledKey: string | null;
  /** Progress of the download, 0 to 100; null before it is measured. */
  progress: number | null;
  createdAt: Instant;
  finishedAt: Instant | null;
  tries: number;
  nextTryAt: Instant;
  problem: string | null;
  /** When the owner was last notified of failures. */
  toldAt: Instant | null;
};

/** The snapshot settings of the owner; they apply to updates by all users. */
export type SnapshotPreferences = {
  /** Whether a snapshot is taken before each update that changes a pod with volumes. */
  beforeUpdates: boolean;
};

/** The default. */
export const defaultSnapshotPreferences: SnapshotPreferences = { beforeUpdates: false };

/** Returns the ids of snapshots that unfinished restores need. */
export function neededBy(restores: readonly Restore[]): ReadonlySet<string> {
  return new Set(restores.flatMap(({ snapshotId, safetyId }) => [snapshotId, safetyId ?? '']));
}

/** After this many failed attempts, it has failed for good. */
export const maxTries = 4;

/** After this many interrupted attempts, it has failed for good, because it may be the cause of the interruptions. */
export const maxInterrupted = 12;

const reportedAfterTries = 2;

/** Returns whether the owner is notified of a failure by mail: once, after several failures or the final one. */
export function isWorthNotifying(
  { toldAt }: Pick<Snapshot, 'toldAt'>,
  { tries, isOver }: { tries: number; isOver: boolean },
): boolean {
  return toldAt === null && (isOver || tries >= reportedAfterTries);
}

/** Returns when to try again: two minutes after the first failure, and twice as long each time. */
export function retryAt(tries: number, now: Instant): Instant {
  return now + 60_000 * 2 ** tries;
}

export type SnapshotTerms = {
  /** The maximum number of manual and of scheduled snapshots. */
  count: number;
  /** The maximum size of all snapshots of an account. */
  bytes: number;
  /** The interval of scheduled snapshots; null: never. */
  everyMs: number | null;
};

const gibibyte = 2 ** 30;
const day = 24 * 60 * 60_000;

/**
 * Returns the terms of a plan, with defaults. `hasPlace`: the operator has configured a location. Without one,
 * snapshots would fill the host's disk, so none are scheduled.
 */
export function snapshotTermsOf(
  { snapshots = {} }: { snapshots?: Partial<SnapshotTerms> },
  hasPlace: boolean,
): SnapshotTerms {
  return { count: 7, bytes: 10 * gibibyte, everyMs: hasPlace ? day : null, ...snapshots };
}

/**
 * Returns the snapshots of one deployment that exceed the limit. Scheduled and manual snapshots are counted separately.
 * A snapshot before an update or a restore counts as manual. `spared` snapshots stay.
 */
export function surplusSnapshots(
  snapshots: readonly Snapshot[],
  { count }: Pick<SnapshotTerms, 'count'>,
  spared: ReadonlySet<string> = new Set(),
): Snapshot[] {
  const newestFirst = snapshots.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const surplus = (some: Snapshot[]) => [
    ...some.filter(({ state }) => state === 'taken').slice(count),
    // Only the latest failure is kept.
    ...some.filter(({ state }) => state === 'failed').slice(1),
  ];
  return [true, false]
    .flatMap((isScheduled) => surplus(newestFirst.filter(({ reason }) => (reason === 'schedule') === isScheduled)))
    .filter(({ id }) => !spared.has(id));
}

/**
 * Returns an upper bound of the space that snapshots of one deployment use: the whole oldest snapshot, and what each
 * later one added.
 */
export function bytesOf(snapshots: readonly Snapshot[]): number {
  const oldestFirst = snapshots.filter(({ state }) => state === 'taken').toSorted((a, b) => a.createdAt - b.createdAt);
  return oldestFirst.reduce(
    (sum, { totalBytes, addedBytes }, index) => sum + ((index === 0 ? totalBytes : addedBytes) ?? 0),
    0,
  );
}

/** Like `bytesOf`, for several deployments. */
export function bytesOfAll(snapshots: readonly Snapshot[]): number {
  const groups = Map.groupBy(snapshots, ({ deploymentId }) => deploymentId);
  return [...groups.values()].reduce((sum, group) => sum + bytesOf(group), 0);
}

/**
 * Returns the scheduled snapshots to delete so that another one fits, oldest first, but never a deployment's latest
 * one. Returns undefined if that is not enough. `snapshots`: of all deployments that share the limit.
 */
export function snapshotsToEvict(
  snapshots: readonly Snapshot[],
  { bytes }: Pick<SnapshotTerms, 'bytes'>,
  spared: ReadonlySet<string> = new Set(),
): Snapshot[] | undefined {
  const oldestFirst = snapshots.filter(({ state }) => state === 'taken').toSorted((a, b) => a.createdAt - b.createdAt);
  const newest = new Map(oldestFirst.map(({ deploymentId, id }) => [deploymentId, id]));
  const candidates = oldestFirst.filter(
    ({ id, deploymentId, reason }) => reason === 'schedule' && newest.get(deploymentId) !== id && !spared.has(id),
  );
  const leaving = new Set<Snapshot>();
  while (bytesOfAll(oldestFirst.filter((each) => !leaving.has(each))) >= bytes) {
    const next = candidates.shift();
    if (!next) return undefined;
    leaving.add(next);
  }
  return [...leaving];
}

/**
 * Returns whether a scheduled snapshot is due: none exists, or the latest one is older than the interval. Failed and
 * deleted snapshots count too.
 */
export function isSnapshotDue(
  snapshots: readonly Snapshot[],
  { everyMs, count }: Pick<SnapshotTerms, 'everyMs' | 'count'>,
  now: Instant,
): boolean {
  if (everyMs === null || count === 0 || snapshots.some(({ state }) => state === 'asked')) return false;
  return snapshots.every(({ createdAt }) => now - createdAt >= everyMs);
}
