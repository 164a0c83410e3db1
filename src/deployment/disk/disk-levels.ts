/**
 * PURE. What deployments hold of the disk, and what follows from it: who is told, and who is stopped. Volumes with a
 * hard limit keep themselves; everything else is looked at and judged.
 */
import type { Instant } from '../deployment.ts';
import type { Running } from '../desired.ts';
import type { DesiredVolume } from '../desired-volumes.ts';
import type { EventOf } from '../event/event.ts';
import { describeEvent } from '../event/event-words.ts';
import { matchWorkloads } from '../plan/matches.ts';
import type { Observed, ObservedWorkload, WorkloadName } from '../workload/workload.ts';

type LevelEvent = Extract<EventOf<'disk'>, { disk: 'level' }>;
type KeptSizeEvent = Extract<EventOf<'disk'>, { disk: 'kept-size' }>;

export type DiskUse =
  | {
      kind: 'volume';
      deploymentId: string;
      volume: string;
      usedBytes: number;
      /** With a hard limit, how full it is, 0..1, of bytes or of files, whichever it has less of. */
      fullShare?: number;
      /** Nothing more is written to it until it is mended. */
      isStopped?: boolean;
    }
  /** What a workload that runs has written outside of the volumes of its configuration. */
  | {
      kind: 'workload';
      deploymentId: string;
      name: WorkloadName;
      pod: string;
      replica: number;
      usedBytes: number;
    };

/** How volumes are bounded; `auto` is the best that the host has. */
export type DiskLimits = 'auto' | 'loop' | 'watch' | 'off';

/** Less than this does not hold a file system's journal: who asks for less gets this. */
export const leastVolumeBytes = 8 * 2 ** 20;

export type Level = LevelEvent['level'];

/** A volume counts as nearly full from here on … */
const nearlyShare = 0.9;
/** … and as roomy again below this: the events of one that wavers would otherwise be many. */
const roomyShare = 0.85;
/** Writers see the end of the disk a little before its last block. */
const fullShare = 0.995;

export function levelOf(share: number, before: Level): Level {
  if (share >= fullShare) return 'full';
  if (share >= nearlyShare) return 'nearly full';
  return share < roomyShare || before === 'roomy' ? 'roomy' : 'nearly full';
}

/** Of its size; what has no hard limit can be above 1. */
export function shareOf(use: Extract<DiskUse, { kind: 'volume' }>, { sizeBytes }: DesiredVolume): number {
  return use.fullShare ?? use.usedBytes / Math.max(sizeBytes, 1);
}

/** For the owner, when the level has risen or fallen. */
export function levelEvent({ volume, title, sizeBytes }: DesiredVolume, level: Level, share: number): LevelEvent {
  return { kind: 'disk', disk: 'level', volume, title, level, percent: Math.floor(share * 100), sizeBytes };
}

export type Eviction = { pod: string; replica: number; at: Instant; because: string };

/** So many evictions within so long are one too many: the workload stays stopped until the next update. */
const maxEvictions = 3;
const evictionSpanMs = 60 * 60_000;

/** Why the workload stays stopped, if it does. `evictions`: those of the revision that is wanted. */
export function heldBecause(evictions: Eviction[], pod: string, replica: number): string | undefined {
  const times = evictions.filter((eviction) => eviction.pod === pod && eviction.replica === replica);
  const ordered = times.toSorted((a, b) => a.at - b.at);
  const last = ordered.at(-1);
  const first = ordered.at(-maxEvictions);
  if (!last || !first || last.at - first.at > evictionSpanMs) return undefined;
  return `was stopped ${maxEvictions} times within an hour: ${last.because}`;
}

/**
 * With those that stay stopped: nobody starts what is seen, and is seen to have been evicted. An engine may still show
 * for a moment what is on its way out.
 */
export function withEvictions(desired: Running, observed: Observed, evictions: Eviction[]): Observed {
  if (evictions.length === 0) return observed;
  const held = matchWorkloads(desired, observed).flatMap(({ wanted, found }): ObservedWorkload[] => {
    const { pod, revision, replica, fingerprint } = wanted.workload;
    const because = found?.phase === 'running' ? undefined : heldBecause(evictions, pod, replica);
    if (because === undefined) return [];
    const identity = { name: found?.name ?? wanted.workload.name, pod, revision, replica, fingerprint };
    const hint = 'write less, or write to a volume that is large enough; then update the application to start it again';
    return [{ ...identity, phase: 'evicted', isReady: false, restarts: 0, notReadyBecause: because, hint }];
  });
  const names = new Set(held.map(({ name }) => name));
  return { ...observed, workloads: [...observed.workloads.filter(({ name }) => !names.has(name)), ...held] };
}

/** A workload that is not ready and has a full volume is told so: it is why, more often than not. */
export function withFullVolumes(desired: Running, observed: Observed, full: DesiredVolume[]): Observed {
  if (full.length === 0) return observed;
  const words = new Map<WorkloadName, string>();
  for (const { wanted, found } of matchWorkloads(desired, observed)) {
    const theirs = full.filter(({ volume }) => wanted.workload.volumes.some((mount) => mount.volume === volume));
    if (found && !found.isReady && theirs.length > 0)
      words.set(found.name, theirs.map((volume) => describeEvent(levelEvent(volume, 'full', 1))).join('; '));
  }
  const workloads = observed.workloads.map((workload) => {
    const because = words.get(workload.name);
    return because === undefined
      ? workload
      : { ...workload, notReadyBecause: [workload.notReadyBecause, because].filter(Boolean).join('; ') };
  });
  return { ...observed, workloads };
}

/** For the owner: volumes that are larger than an update wants them. They stay so. */
export function keptSizes(desired: Running, { volumeSizes = {} }: Observed): KeptSizeEvent[] {
  return desired.volumes.flatMap(({ volume, title, sizeBytes }) => {
    const size = volumeSizes[volume] ?? 0;
    return size > Math.max(sizeBytes, leastVolumeBytes)
      ? [{ kind: 'disk', disk: 'kept-size', volume, title, sizeBytes: size }]
      : [];
  });
}
