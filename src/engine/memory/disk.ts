/** Disk usage on the in-memory engine: as many bytes as there are characters. */
import type { DiskUse } from '../../deployment/disk/disk-levels.ts';
import type { MemoryWorld } from './world.ts';

export function diskUse({ containers, volumes }: MemoryWorld, owner: string): DiskUse[] {
  return [
    ...[...volumes.values()]
      .filter((volume) => volume.owner === owner)
      .map(({ deploymentId, volume, sizeBytes, files }): DiskUse => {
        const usedBytes = heldBy(files);
        return { kind: 'volume', deploymentId, volume, usedBytes, fullShare: usedBytes / sizeBytes };
      }),
    ...[...containers.values()]
      .filter((container) => container.owner === owner && container.phase !== 'exited')
      .map(({ deploymentId, workload: { name, pod, replica }, files }): DiskUse => {
        return { kind: 'workload', deploymentId, name, pod, replica, usedBytes: heldBy(files) };
      }),
  ];
}

export function heldBy(files: ReadonlyMap<string, string>): number {
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}
