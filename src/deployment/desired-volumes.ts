/** The volumes that a configuration asks for: their names, sizes and titles, and who has them. */
import type { AppSpec, PodSpec, VolumeSpec } from '../config/spec/spec.ts';
import type { Observed } from './workload/workload.ts';

export type DesiredVolume = {
  volume: string;
  /** What a host that can limit volumes lets fit into it. */
  sizeBytes: number;
  /** For people, e.g. `volume data of pod db`. */
  title: string;
};

/** One machine is one node: a daemonset has one replica here; so has a job. */
export function replicasOf({ resourceType, replicas }: PodSpec): number {
  return resourceType === 'daemonset' || resourceType === 'job' ? 1 : replicas;
}

/** Those of which nothing is there; a volume that has never been made is among them. */
export function lostVolumes(volumes: DesiredVolume[], observed: Observed): DesiredVolume[] {
  const { volumes: found, volumeSizes = {} } = observed;
  return volumes.filter(({ volume }) => !found.includes(volume) || volumeSizes[volume] === 0);
}

/** The pods that have each volume. */
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

/** One that several pods share is as large as the largest of them wants it. */
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
 * Each replica of a statefulset has volumes of its own; the replicas of anything else share theirs. A dot keeps what
 * is shared between pods apart: no pod's name has one.
 */
export function volumeName({ name, resourceType }: PodSpec, volume: VolumeSpec, replica: number): string {
  if (volume.isShared) return `shared.${volume.name}`;
  const owner = resourceType === 'statefulset' && replica > 0 ? `${name}-${replica}` : name;
  return `${owner}-${volume.name}`;
}
