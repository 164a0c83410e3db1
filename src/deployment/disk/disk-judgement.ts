/** PURE. Finds workloads that use too much of the disk, or the last free space. */
import { printBytes } from '../../config/values/units.ts';
import type { DesiredVolume } from '../desired-volumes.ts';
import { type DiskUse, shareOf } from './disk-levels.ts';

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

export type DiskRules = {
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
const leastGrowth = 32 * 2 ** 20;

/** Returns the workloads that have grown most since earlier measurements, for a disk that is nearly full. */
export function fastestGrowth(
  uses: DiskUse[],
  before: ReadonlyMap<string, number>,
  wantedBy: (deploymentId: string) => WantedOfDisk | undefined,
): Overuse[] {
  const growth = uses.map((use) => ({ use, grown: use.usedBytes - (before.get(keyOf(use)) ?? use.usedBytes) }));
  const [fastest] = growth.toSorted((a, b) => b.grown - a.grown);
  if (!fastest || fastest.grown < leastGrowth) return [];
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
