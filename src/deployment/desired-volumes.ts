/** The volumes of a configuration: names, sizes, titles, and the pods that use them. */
import type { AppSpec, PodSpec, VolumeSpec } from '../config/spec/spec.ts';
import type { Observed } from './workload/workload.ts';

export type DesiredVolume = {
  volume: string;
  /** The hard limit, on a host that supports one. */
  sizeBytes: number;
  /** For messages, such as `volume data of pod db`. */
  title: string;
};

/** Returns the number of replicas. A daemonset has one, because the machine is one node. A job also has one. */
export function replicasOf({ resourceType, replicas }: PodSpec): number {
  return resourceType === 'daemonset' || resourceType === 'job' ? 1 : replicas;
}

/** Returns the volumes that do not exist, including those that were never created. */
export function lostVolumes(volumes: DesiredVolume[], observed: Observed): DesiredVolume[] {
  const { volumes: found, volumeSizes = {} } = observed;
  return volumes.filter(({ volume }) => !found.includes(volume) || volumeSizes[volume] === 0);
}

/** Returns the pods of each volume. */
export function podsOfVolumes({ pods }: Pick<AppSpec, 'pods'>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const pod of pods)
    for (let replica = 0; replica < replicasOf(pod); replica++)
      for (const spec of pod.volumes) {
        const volume = volumeName(pod, spec, replica);
        const others = found.get(volume) ?? [];
        if (!others.includes(pod.name)) found.set(volume, [...others, pod.name]);
      }
  return found;
}

/** A shared volume gets the largest requested size. */
export function volumesOf({ pods }: Pick<AppSpec, 'pods'>): DesiredVolume[] {
  const volumes = new Map<string, DesiredVolume>();
  for (const pod of pods) {
    for (let replica = 0; replica < replicasOf(pod); replica++) {
      for (const spec of pod.volumes) {
        const volume = volumeName(pod, spec, replica);
        const sizeBytes = Math.max(spec.sizeBytes, volumes.get(volume)?.sizeBytes ?? 0);
        volumes.set(volume, { volume, sizeBytes, title: titleOf(pod, spec, replica) });
      }
    }
  }
  return [...volumes.values()];
}

function titleOf({ name, resourceType }: PodSpec, volume: VolumeSpec, replica: number): string {
  if (volume.isShared) return `volume ${volume.name}`;
  return `volume ${volume.name} of pod ${resourceType === 'statefulset' && replica > 0 ? `${name}-${replica}` : name}`;
}

/**
 * Each replica of a statefulset has its own volumes; replicas of other pods share theirs. Names of volumes that pods
 * share contain a dot, which names of pods cannot.
 */
export function volumeName({ name, resourceType }: PodSpec, volume: VolumeSpec, replica: number): string {
  if (volume.isShared) return `shared.${volume.name}`;
  const owner = resourceType === 'statefulset' && replica > 0 ? `${name}-${replica}` : name;
  return `${owner}-${volume.name}`;
}
