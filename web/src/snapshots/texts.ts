/** Descriptions of snapshots and restores. Pure. */
import { listed } from '../../../src/config/diagnostics/diagnostics.ts';
import { printBytes } from '../../../src/config/values/units.ts';
import { capitalised } from '../parts/capitalised.ts';
import { printAgo, printMoment } from '../parts/time.ts';
import type { Restore, RestorePreview, Snapshot, Snapshots } from '../service/records.ts';

const badges: Record<Snapshot['state'], { word: string; tone: string }> = {
  asked: { word: 'being taken', tone: 'deploying' },
  taken: { word: 'kept', tone: 'running' },
  failed: { word: 'failed', tone: 'failed' },
};

/** Returns a text, and the tone of its badge. */
export function badgeOf({ state }: Pick<Snapshot, 'state'>): { word: string; tone: string } {
  return badges[state];
}

const reasons: Record<Snapshot['reason'], string> = {
  asked: 'requested',
  schedule: 'taken by the schedule',
  'before-update': 'before an update',
  'before-restore': 'before a restore',
};

/** Prints `Requested · revision 2 · 3.1 MiB`. The size is known once it is taken. */
export function storyOf({
  reason,
  revision,
  totalBytes,
}: Pick<Snapshot, 'reason' | 'revision' | 'totalBytes'>): string {
  const size = totalBytes === undefined ? [] : [printBytes(totalBytes)];
  return [capitalised(reasons[reason]), `revision ${revision}`, ...size].join(' · ');
}

/** Returns all volumes that can be restored from it: as files, or loaded by a database. */
export function volumesIn({ volumes, dumps }: Pick<Snapshot, 'volumes' | 'dumps'>): string[] {
  return [...volumes.map(({ name }) => name), ...dumps.flatMap((dump) => dump.volumes)];
}

/** `web-data, db-data (dump), cache (saved first)`: a volume that is dumped, a pod that has saved. */
export function contentsOf({ volumes, dumps }: Pick<Snapshot, 'volumes' | 'dumps'>): string {
  const dumped = volumesIn({ volumes: [], dumps }).map((name) => `${name} (dump)`);
  const saved = dumps.flatMap(({ pod, kind }) => (kind === 'redis' ? [`${pod} (saved first)`] : []));
  return [...volumesIn({ volumes, dumps: [] }), ...dumped, ...saved].join(', ');
}

/** Returns when to dump databases with their own tools. Undefined without such a database. */
export function dumpChoiceOf(dumpable: Snapshots['dumpable']): { label: string; hint: string } | undefined {
  if (dumpable.length === 0) return undefined;
  const namesOf = (isSaved: boolean) =>
    dumpable.filter(({ kind }) => (kind === 'redis') === isSaved).map(({ pod }) => pod);
  const [dumped, saved] = [namesOf(false), namesOf(true)];
  const hints = [
    ...(dumped.length > 0
      ? [
          `Choose it to load ${listed(dumped)} into a later release of the database; unlike files, a dump is not of the same instant as the other volumes.`,
        ]
      : []),
    ...(saved.length > 0
      ? [`Choose it so that ${listed(saved)} saves everything first; without it, its last save can be an hour old.`]
      : []),
  ];
  return { label: `With the database’s own tool: ${listed([...dumped, ...saved])}`, hint: hints.join(' ') };
}

/** Returns why the last attempt failed, and what happens next. */
export function problemOf({ state, problem }: Pick<Snapshot | Restore, 'state' | 'problem'>): string | undefined {
  if (problem === undefined) return undefined;
  return state === 'failed' ? problem : `${problem} It will be tried again.`;
}

/** Returns the stage of a restore. @param ago when it ended, such as `5 min ago`. */
export function stageOf(
  { state, volumes, progress, isBeside }: Pick<Restore, 'state' | 'volumes' | 'progress' | 'isBeside'>,
  ago: string,
): string {
  const what = volumes.join(', ');
  const percent = progress === undefined ? '' : `, ${progress} %`;
  switch (state) {
    case 'asked':
      return `Restoring ${what}: the data is being fetched${percent}. The application ${isBeside ? 'starts when the data has arrived' : 'keeps running during the restore'}.`;
    case 'filled':
      return `Restoring ${what}: the data has arrived and is being put in place.${isBeside ? '' : ' Pods that use it are stopped for this.'}`;
    case 'done':
      return `Restored ${what}, ${ago}.`;
    case 'failed':
      return `${what} could not be restored, ${ago}.`;
  }
}

/** The initial data of a new deployment. */
export function startedWith(
  { volumes, snapshot }: Pick<RestorePreview, 'volumes' | 'snapshot'>,
  nowMs: number,
): string {
  const at = Date.parse(snapshot.takenAt ?? snapshot.createdAt);
  const then = `${printMoment(at, nowMs)} (${printAgo(nowMs - at)})`;
  return `It starts with the previous data ${then}, at revision ${snapshot.revision}: ${volumes.join(', ')}.`;
}

/** The volumes that a restore would replace, and their replacements. */
export function replacedBy({ volumes, snapshot }: Pick<RestorePreview, 'volumes' | 'snapshot'>, nowMs: number): string {
  const at = Date.parse(snapshot.takenAt ?? snapshot.createdAt);
  const then = `${printMoment(at, nowMs)} (${printAgo(nowMs - at)})`;
  return `Replaced by the previous data ${then}: ${volumes.join(', ')}.`;
}

export function isUnderWay({ snapshots, restores }: Pick<Snapshots, 'snapshots' | 'restores'>): boolean {
  return snapshots.some(({ state }) => state === 'asked') || restores.some(isOpen);
}

export function isOpen({ state }: Pick<Restore, 'state'>): boolean {
  return state === 'asked' || state === 'filled';
}

/** Prints `The newest 7 requested snapshots are kept, …`: the terms of the plan. */
export function termsOf({ count, bytes, everyHours }: Snapshots['kept']): string {
  if (count === 0) return 'The plan has no snapshots.';
  const every = everyHours === undefined ? '' : `, and ${count} more of those taken every ${everyHours} h`;
  return `The newest ${count} requested snapshots are kept${every}; up to ${printBytes(bytes)} for the whole account.`;
}

/** Returns why no snapshot can be taken, and what to do about it. Undefined if one can. */
export function obstacleOf(found: { isOffered: boolean; isKept: boolean; hasVolumes: boolean }): string | undefined {
  const { isOffered, isKept, hasVolumes } = found;
  if (!hasVolumes)
    return 'This application has no volumes, so it has no data for snapshots. Revisions keeps its configuration.';
  if (!isOffered)
    return "This server takes no snapshots: copy the data with the application's own means, such as a dump of its database.";
  if (!isKept) return 'Snapshots are kept for claimed deployments only: claim this one first, above.';
  return undefined;
}
