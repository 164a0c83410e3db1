/**
 * The state of the disk watch between two measurements: the desired volumes of deployments and how full they were. It
 * is in memory; after a restart, the first visits and measurements fill it again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Running } from '../../deployment/desired.ts';
import type { DesiredVolume } from '../../deployment/desired-volumes.ts';
import type { Level, WantedOfDisk } from '../../deployment/disk/disk-levels.ts';

export type DiskState = {
  learn(deploymentId: string, desired: Running): void;
  forget(deploymentId: string): void;
  wantedBy(deploymentId: string): WantedOfDisk | undefined;
  /** Undefined before the first measurement. */
  levelOf(deploymentId: string, volume: string): Level | undefined;
  setLevel(deploymentId: string, volume: string, level: Level): void;
  /** Returns true once for each value and revision, so that it is reported once. */
  isUnreported(deploymentId: string, reported: object): boolean;
  /** Returns the volumes that were full at the last measurement. */
  fullVolumes(deploymentId: string): DesiredVolume[];
};

export function createDiskState(): DiskState {
  const wanted = new Map<string, WantedOfDisk>();
  const levels = new Map<string, Map<string, Level>>();
  const reported = new Map<string, object[]>();

  const levelOf = (deploymentId: string, volume: string) => levels.get(deploymentId)?.get(volume);
  return {
    learn(deploymentId, { revision, volumes, workloads }) {
      // Values of earlier revisions are removed, because their number is unbounded.
      if (wanted.get(deploymentId)?.revision !== revision) reported.delete(deploymentId);
      const users: WantedOfDisk['users'] = new Map();
      for (const { workload } of workloads)
        for (const { volume } of workload.volumes)
          users.set(volume, [...(users.get(volume) ?? []), { pod: workload.pod, replica: workload.replica }]);
      wanted.set(deploymentId, { revision, volumes, users });
    },
    forget(deploymentId) {
      wanted.delete(deploymentId);
      levels.delete(deploymentId);
      reported.delete(deploymentId);
    },
    isUnreported(deploymentId, value) {
      const values = reported.get(deploymentId) ?? [];
      if (values.some((known) => isDeepStrictEqual(known, value))) return false;
      reported.set(deploymentId, [...values, value]);
      return true;
    },
    wantedBy: (deploymentId) => wanted.get(deploymentId),
    levelOf,
    setLevel(deploymentId, volume, level) {
      const known = levels.get(deploymentId) ?? new Map<string, Level>();
      levels.set(deploymentId, known.set(volume, level));
    },
    fullVolumes: (deploymentId) =>
      (wanted.get(deploymentId)?.volumes ?? []).filter(({ volume }) => levelOf(deploymentId, volume) === 'full'),
  };
}
