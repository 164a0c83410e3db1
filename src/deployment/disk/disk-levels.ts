/**
 * PURE. Disk use of deployments and its consequences: warnings and evictions. Volumes with a hard limit need no check.
 * All other use is measured.
 */

import { printBytes } from '../../config/values/units.ts';
import type { Instant } from '../deployment.ts';
import type { Running } from '../desired.ts';
import type { DesiredVolume } from '../desired-volumes.ts';
import type { EventOf } from '../event/event.ts';
import { describeEvent } from '../event/event-text.ts';
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
      /** The fill level of a volume with a hard limit, 0..1: the higher one of bytes and files. */
      fullShare?: number;
      /** The volume is read-only until it is repaired. */
      isStopped?: boolean;
    }
  /** The bytes that a running workload has written outside of its volumes. */
  | {
      kind: 'workload';
      deploymentId: string;
      name: WorkloadName;
      pod: string;
      replica: number;
      usedBytes: number;
    };

/** How volumes are limited; `auto`: the strictest method that the host supports. */
export type DiskLimits = 'auto' | 'loop' | 'watch' | 'off';

/** The minimum size, because a file system needs space for its journal. Smaller requests get this size. */
export const minVolumeBytes = 8 * 2 ** 20;

export type Level = LevelEvent['level'];

/** A volume counts as nearly full above this level … */
const nearlyShare = 0.9;
/**
 * Below this share, the volume counts as having space again. The gap to the other limit avoids events for a fluctuating
 * volume.
 */
const roomyShare = 0.85;
/** Writes fail slightly before the last block. */
const fullShare = 0.995;

export function levelOf(share: number, before: Level): Level {
  if (share >= fullShare) return 'full';
  if (share >= nearlyShare) return 'nearly full';
  return share < roomyShare || before === 'roomy' ? 'roomy' : 'nearly full';
}

/** Returns the share of its size; above 1 is possible without a hard limit. */
export function shareOf(use: Extract<DiskUse, { kind: 'volume' }>, { sizeBytes }: DesiredVolume): number {
  return use.fullShare ?? use.usedBytes / Math.max(sizeBytes, 1);
}

/** Returns the event for the owner when the level has changed. */
export function levelEvent({ volume, title, sizeBytes }: DesiredVolume, level: Level, share: number): LevelEvent {
  return { kind: 'disk', disk: 'level', volume, title, level, percent: Math.floor(share * 100), sizeBytes };
}

export type Eviction = { pod: string; replica: number; at: Instant; because: string };

/** After this many evictions in this time, the workload stays stopped until the next update. */
const maxEvictions = 3;
const evictionSpanMs = 60 * 60_000;

/** Returns why the workload stays stopped, if it does. `evictions`: of the desired revision. */
export function heldBecause(evictions: Eviction[], pod: string, replica: number): string | undefined {
  const times = evictions.filter((eviction) => eviction.pod === pod && eviction.replica === replica);
  const ordered = times.toSorted((a, b) => a.at - b.at);
  const last = ordered.at(-1);
  const first = ordered.at(-maxEvictions);
  if (!last || !first || last.at - first.at > evictionSpanMs) return undefined;
  return `was stopped ${maxEvictions} times within an hour: ${last.because}`;
}

/**
 * Returns the observation with workloads that stay stopped, in the phase `evicted`, so that the plan does not start
 * them. An engine may still list an evicted workload for a moment.
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

/** Explains an unready workload by its full volume, which is the usual cause. */
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

/** Returns events about volumes that are larger than an update requests. They keep their size. */
export function keptSizes(desired: Running, { volumeSizes = {} }: Observed): KeptSizeEvent[] {
  return desired.volumes.flatMap(({ volume, title, sizeBytes }) => {
    const size = volumeSizes[volume] ?? 0;
    return size > Math.max(sizeBytes, minVolumeBytes)
      ? [{ kind: 'disk', disk: 'kept-size', volume, title, sizeBytes: size }]
      : [];
  });
}

/** Finds workloads that use too much of the disk, or the last free space. */

/** The desired volumes of a deployment. */
export type WantedOfDisk = {
  revision: number;
  volumes: DesiredVolume[];
  /** The replicas of pods that use each volume. */
  users: Map<string, { pod: string; replica: number }[]>;
};

type WorkloadUse = Extract<DiskUse, { kind: 'workload' }>;

/** A workload that has to be evicted, and the reason, which follows its name in a sentence. */
export type Overuse = { workload: WorkloadUse; because: string };

type DiskRules = {
  /** Disk space that a workload may use outside of its volumes. */
  containerBytes: number;
};

/** Returns workloads that use too much outside of volumes, and those with a volume beyond its size. */
export function overuses(
  uses: DiskUse[],
  wantedBy: (deploymentId: string) => WantedOfDisk | undefined,
  { containerBytes }: DiskRules,
): Overuse[] {
  return uses.flatMap((use): Overuse[] => {
    if (use.kind === 'workload') {
      if (use.usedBytes <= containerBytes) return [];
      const because = `it had written ${printBytes(use.usedBytes)} outside its volumes; the limit is ${printBytes(containerBytes)}`;
      return [{ workload: use, because }];
    }
    const wanted = wantedBy(use.deploymentId);
    const volume = wanted?.volumes.find((one) => one.volume === use.volume);
    if (!wanted || !volume || use.fullShare !== undefined || shareOf(use, volume) <= 1) return [];
    const because = `${volume.title} holds ${printBytes(use.usedBytes)}, and its size is ${printBytes(volume.sizeBytes)}`;
    return usersOf(use, wanted, uses).map((workload) => ({ workload, because }));
  });
}

/** Smaller growth is ignored. */
const minGrowth = 32 * 2 ** 20;

/** Returns the workloads that have grown most since earlier measurements, for a disk that is nearly full. */
export function fastestGrowth(
  uses: DiskUse[],
  before: ReadonlyMap<string, number>,
  wantedBy: (deploymentId: string) => WantedOfDisk | undefined,
): Overuse[] {
  const growth = uses.map((use) => ({ use, grown: use.usedBytes - (before.get(keyOf(use)) ?? use.usedBytes) }));
  const [fastest] = growth.toSorted((a, b) => b.grown - a.grown);
  if (!fastest || fastest.grown < minGrowth) return [];
  const because = `the disk of the host was nearly full, and it had written the most (${printBytes(fastest.grown)})`;
  const { use } = fastest;
  const wanted = wantedBy(use.deploymentId);
  const workloads = use.kind === 'workload' ? [use] : wanted ? usersOf(use, wanted, uses) : [];
  return workloads.map((workload) => ({ workload, because }));
}

/** Returns the sizes for a later comparison. */
export function heldBytes(uses: DiskUse[]): Map<string, number> {
  return new Map(uses.map((use) => [keyOf(use), use.usedBytes]));
}

function keyOf(use: DiskUse): string {
  return use.kind === 'workload' ? use.name : `${use.deploymentId}/${use.volume}`;
}

function usersOf(
  { deploymentId, volume }: { deploymentId: string; volume: string },
  wanted: WantedOfDisk,
  uses: DiskUse[],
) {
  const users = wanted.users.get(volume) ?? [];
  return uses.filter(
    (use): use is WorkloadUse =>
      use.kind === 'workload' &&
      use.deploymentId === deploymentId &&
      users.some(({ pod, replica }) => pod === use.pod && replica === use.replica),
  );
}
