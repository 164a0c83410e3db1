/** PURE. Snapshots of a deployment's volumes: when one is due, which are kept, what they take of their place. */
import type { Instant } from '../deployment.ts';
import type { Dump, LoadedDump } from './dump.ts';

/** What one is taken for. */
export const snapshotReasons = ['asked', 'schedule', 'before-update', 'before-restore'] as const;
export type SnapshotReason = (typeof snapshotReasons)[number];

/** `leaving`: what was kept of it is on its way out; `left`: it is out, and only when it was taken is still known. */
export const snapshotStates = ['asked', 'taken', 'failed', 'leaving', 'left'] as const;
export type SnapshotState = (typeof snapshotStates)[number];

export type SizedVolume = { volume: string; sizeBytes: number };

export type Snapshot = {
  id: string;
  deploymentId: string;
  /** The revision that was asked for last when it was taken. */
  revision: number;
  reason: SnapshotReason;
  state: SnapshotState;
  createdAt: Instant;
  /** What is in it is of this instant. */
  takenAt: Instant | null;
  /** As the place calls it. */
  placeId: string | null;
  /** Those that are kept as files. */
  volumes: SizedVolume[];
  /** Databases that are kept, or are to be, as their own tools tell them. */
  dumps: Dump[];
  totalBytes: number | null;
  /** Of what was not at the place before. */
  addedBytes: number | null;
  /** For so long writers have waited. */
  pausedMs: number | null;
  /** That have begun. */
  tries: number;
  nextTryAt: Instant;
  /** Of the last try that failed, in words for the owner. */
  problem: string | null;
  /** When somebody was told that it fails. */
  toldAt: Instant | null;
  /** When a try began to write to the place; null where nothing of it can be there any more that has no name. */
  begunAt: Instant | null;
};

export const restoreStates = ['asked', 'filled', 'done', 'failed'] as const;
export type RestoreState = (typeof restoreStates)[number];

/** Of volumes. `filled`: what is to take their places is there, and the next visit puts it there. */
export type Restore = {
  id: string;
  /** Whose volumes they become. */
  deploymentId: string;
  snapshotId: string;
  /** The deployment of the snapshot, where that is another one: this one was started beside it. */
  fromDeploymentId: string | null;
  volumes: string[];
  /** What their databases load, while they run. */
  dumps: LoadedDump[];
  state: RestoreState;
  /** Whether a snapshot of what is there is taken before; of a new deployment there is nothing. */
  takesSafety: boolean;
  /** That snapshot. */
  safetyId: string | null;
  /** Names what the newest try fills, or has filled; each try has its own. */
  filledKey: string | null;
  /** 0 to 100, of the fetching; null before its first look. */
  progress: number | null;
  createdAt: Instant;
  finishedAt: Instant | null;
  tries: number;
  nextTryAt: Instant;
  problem: string | null;
  /** When somebody was told that it fails. */
  toldAt: Instant | null;
};

/** The snapshot settings of the owner; they apply to updates by all users. */
export type SnapshotWishes = {
  /** One is taken before each update that changes a pod with volumes. */
  beforeUpdates: boolean;
};

/** Where nobody has said anything. */
export const noWishes: SnapshotWishes = { beforeUpdates: false };

/** What restores that are not over need of what is kept. */
export function neededBy(restores: readonly Restore[]): ReadonlySet<string> {
  return new Set(restores.flatMap(({ snapshotId, safetyId }) => [snapshotId, safetyId ?? '']));
}

/** Then it has failed for good. */
export const mostTries = 4;

/** Of tries that have begun, and of which nothing else is known: then it is what ends the service each time. */
export const mostCutOff = 12;

const toldAfterTries = 2;

/** Whether somebody is told by mail of a failure: once, also where tries before it, of which nobody has heard, were cut off. */
export function isWorthTelling(
  { toldAt }: Pick<Snapshot, 'toldAt'>,
  { tries, isOver }: { tries: number; isOver: boolean },
): boolean {
  return toldAt === null && (isOver || tries >= toldAfterTries);
}

/** Two minutes after the first failure, and twice as long each time. */
export function retryAt(tries: number, now: Instant): Instant {
  return now + 60_000 * 2 ** tries;
}

export type SnapshotTerms = {
  /** How many are kept of those that were asked for, and as many of those that the schedule has taken. */
  count: number;
  /** What those of an account may take of their place in all. */
  bytes: number;
  /** The interval of scheduled snapshots; null: never. */
  everyMs: number | null;
};

const gibibyte = 2 ** 30;
const day = 24 * 60 * 60_000;

/**
 * Where a plan says nothing of it. `hasPlace`: the operator has chosen where they are kept; nothing fills the host's disk
 * without anybody having asked for it.
 */
export function snapshotTermsOf(
  { snapshots = {} }: { snapshots?: Partial<SnapshotTerms> },
  hasPlace: boolean,
): SnapshotTerms {
  return { count: 7, bytes: 10 * gibibyte, everyMs: hasPlace ? day : null, ...snapshots };
}

/**
 * Those that are one too many, of one deployment: what the schedule has taken does not push out what somebody has asked
 * for, nor the other way round. One from before an update or a restore counts as asked for. `spared` stays.
 */
export function surplusSnapshots(
  snapshots: readonly Snapshot[],
  { count }: Pick<SnapshotTerms, 'count'>,
  spared: ReadonlySet<string> = new Set(),
): Snapshot[] {
  const newestFirst = snapshots.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const surplus = (some: Snapshot[]) => [
    ...some.filter(({ state }) => state === 'taken').slice(count),
    // One failure is worth to be seen, and no longer than until the next one.
    ...some.filter(({ state }) => state === 'failed').slice(1),
  ];
  return [true, false]
    .flatMap((isScheduled) => surplus(newestFirst.filter(({ reason }) => (reason === 'schedule') === isScheduled)))
    .filter(({ id }) => !spared.has(id));
}

/**
 * The most that snapshots of one deployment can take of their place: all of the oldest, and of each later one what was
 * new then.
 */
export function bytesOf(snapshots: readonly Snapshot[]): number {
  const oldestFirst = snapshots.filter(({ state }) => state === 'taken').toSorted((a, b) => a.createdAt - b.createdAt);
  return oldestFirst.reduce(
    (sum, { totalBytes, addedBytes }, index) => sum + ((index === 0 ? totalBytes : addedBytes) ?? 0),
    0,
  );
}

/** As `bytesOf`, of several deployments. */
export function bytesOfAll(snapshots: readonly Snapshot[]): number {
  const groups = Map.groupBy(snapshots, ({ deploymentId }) => deploymentId);
  return [...groups.values()].reduce((sum, group) => sum + bytesOf(group), 0);
}

/**
 * Those of the schedule that have to leave so that there is room for another one, the oldest first; never the newest of a
 * deployment. Undefined where that is not enough. `snapshots`: of all deployments that count together.
 */
export function leavingForRoom(
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
 * Whether the schedule wants one now: there is none, or the newest is so old. A failure counts as one, and so does one
 * that was deleted.
 */
export function isSnapshotDue(
  snapshots: readonly Snapshot[],
  { everyMs, count }: Pick<SnapshotTerms, 'everyMs' | 'count'>,
  now: Instant,
): boolean {
  if (everyMs === null || count === 0 || snapshots.some(({ state }) => state === 'asked')) return false;
  return snapshots.every(({ createdAt }) => now - createdAt >= everyMs);
}
