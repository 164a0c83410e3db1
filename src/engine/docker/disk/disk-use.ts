/**
 * The disk usage of this installation's volumes and containers. Volumes with their own file systems report it at every
 * check. All other directories are walked, see `disk-walk.ts`.
 */
import type Docker from 'dockerode';
import type { DiskUse } from '../../../deployment/disk/disk-levels.ts';
import { labelKeys, labelSelector, readWorkloadLabels } from '../../labels.ts';
import type { LoopUsage, LoopVolumes } from '../volumes/loop-volumes.ts';
import { listVolumes } from '../volumes/volumes.ts';
import { createWalks, type WalkOptions } from './disk-walk.ts';

/**
 * If a container fills the disk during its start, Docker cannot store that it runs and reports `created`. Exited
 * containers stay for their logs, and completed jobs must not run again.
 */
const unfinished = ['created', 'running', 'paused', 'restarting'] as const;

export type DiskUseOptions = WalkOptions & { owner: string; loops: LoopVolumes | undefined };

export function createDiskUse(docker: Docker, options: DiskUseOptions): () => Promise<DiskUse[]> {
  const { owner, loops } = options;
  const walks = createWalks(docker, options);

  return async () => {
    const [containers, limited] = await Promise.all([
      docker.listContainers({ all: true, filters: { label: labelSelector(owner), status: [...unfinished] } }),
      usagesOf(loops),
    ]);
    const isLimited = ({ Labels: labels }: Docker.VolumeInspectInfo) => limited.has(keyOf(labels));
    const unlimited = async () =>
      (await listVolumes(docker, owner)).filter((volume) => volume.Labels?.[labelKeys.volume] && !isLimited(volume));
    const inLoops = [...limited.values()].reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    const { volumes, bytes } = await walks.latest(containers, unlimited, inLoops);
    return [
      ...[...limited].map(([key, usage]) => limitedUse(key, usage)),
      ...unlimitedUses(volumes, bytes),
      ...containers.flatMap(({ Id, Labels, Names }): DiskUse[] => {
        const labels = readWorkloadLabels(Labels);
        const usedBytes = bytes.get(Id);
        if (!labels || usedBytes === undefined) return [];
        const { deploymentId, pod, replica } = labels;
        return [{ kind: 'workload', deploymentId, name: Names[0]?.slice(1) ?? Id, pod, replica, usedBytes }];
      }),
    ];
  };
}

const separator = '/';

function keyOf(labels: Record<string, string> | null | undefined): string {
  return [labels?.[labelKeys.deployment], labels?.[labelKeys.volume]].join(separator);
}

/** Returns the usage by deployment and volume. */
async function usagesOf(loops: LoopVolumes | undefined): Promise<Map<string, LoopUsage>> {
  const usages = (await loops?.usages()) ?? [];
  return new Map(usages.map((usage) => [`${usage.deploymentId}${separator}${usage.volume}`, usage]));
}

function limitedUse(key: string, { isStopped, usedBytes, freeBytes, usedFiles, freeFiles }: LoopUsage): DiskUse {
  const [deploymentId = '', volume = ''] = key.split(separator);
  const share = (used: number, free: number) => used / Math.max(used + free, 1);
  const fullShare = Math.max(share(usedBytes, freeBytes), share(usedFiles, freeFiles));
  return { kind: 'volume', deploymentId, volume, usedBytes, fullShare, ...(isStopped && { isStopped }) };
}

/** A volume of the configuration may consist of several Docker volumes. */
function unlimitedUses(volumes: Docker.VolumeInspectInfo[], bytes: ReadonlyMap<string, number>): DiskUse[] {
  const sums = new Map<string, number>();
  for (const { Name, Labels } of volumes) {
    const usedBytes = bytes.get(Name);
    if (usedBytes !== undefined) sums.set(keyOf(Labels), (sums.get(keyOf(Labels)) ?? 0) + usedBytes);
  }
  return [...sums].map(([key, usedBytes]) => {
    const [deploymentId = '', volume = ''] = key.split(separator);
    return { kind: 'volume', deploymentId, volume, usedBytes };
  });
}
