/** PURE. What a pod may use, and what is set aside for it: the one place for what a configuration leaves open. */
import { limitOf } from '../../config/spec/default-limits.ts';
import type { AppSpec, PodSpec, Resources, VolumeSpec } from '../../config/spec/spec.ts';
import { replicasOf, volumesOf } from '../desired-volumes.ts';
import { leastVolumeBytes } from '../disk/disk-levels.ts';
import { type Counts, countedKinds } from './count-limits.ts';

type PodResources = { requests: Resources; limits: Resources };

/**
 * Of a limit, at least this part is set aside, whatever is requested. Limits are for the worst moment: a small web
 * server with the default of 512 MiB holds some 5 to 30 MiB. 32 MiB each lets 600 of them share 24 GB of memory; counted
 * in full, 38 would fill it. And nobody gets a limit of 24 GiB for a request of one byte.
 */
export const leastShare = 1 / 16;

/** A container's log files: three of 10 MB at most. */
const logBytes = 30_000_000;

/**
 * Counted for each volume beyond its size: what a file system of its own takes for its journal and tables, which is
 * 5 MiB of a small one; and a mount and a loop device, of which a host has only so many.
 */
export const volumeCostBytes = 8 * 2 ** 20;

/** Where no limit is given, the default one, or the request if that is more. */
export function limitsOf(resources: PodResources): Required<Resources> {
  return { cpuMillis: limitOf(resources, 'cpuMillis'), memoryBytes: limitOf(resources, 'memoryBytes') };
}

/** What counts of one replica against the host's budget. */
export function requestsOf(resources: PodResources): Required<Resources> {
  const limits = limitsOf(resources);
  const requestOf = (resource: keyof Resources) =>
    Math.max(resources.requests[resource] ?? 0, Math.ceil(limits[resource] * leastShare));
  return { cpuMillis: requestOf('cpuMillis'), memoryBytes: requestOf('memoryBytes') };
}

/** Memory and processor to be set aside, disk to be filled at most (without what containers write elsewhere), and counts. */
export type Amount = { memoryBytes: number; cpuMillis: number; diskBytes: number } & Counts;

export const amountKeys = [
  ...(['memoryBytes', 'cpuMillis', 'diskBytes'] as const),
  ...countedKinds,
] as const satisfies readonly (keyof Amount)[];

/** An amount, part by part. */
export function amountBy(part: (key: keyof Amount) => number): Amount {
  return Object.fromEntries(amountKeys.map((key) => [key, part(key)])) as Amount;
}

/** Volumes by their names, each with the largest size that was asked for: none is made smaller, or goes before its deployment. */
export type VolumeSizes = ReadonlyMap<string, number>;

/** Those of a revision, and those that earlier ones have left. */
export function volumeSizesOf(spec: Pick<AppSpec, 'pods'>, left: VolumeSizes): VolumeSizes {
  const sizes = new Map(left);
  for (const { volume, sizeBytes } of volumesOf(spec)) sizes.set(volume, Math.max(sizeBytes, sizes.get(volume) ?? 0));
  return sizes;
}

/**
 * What an application asks for: all replicas of all its pods, once; an update's old and new side by side count once.
 * `left`: the volumes of earlier revisions.
 */
export function amountOf(spec: Pick<AppSpec, 'pods'>, left: VolumeSizes = new Map()): Amount {
  const amount = amountOfPods(spec);
  if (left.size === 0) return amount;
  const sizes = volumeSizesOf(spec, left);
  const volumesBytes = [...sizes.values()].reduce((sum, sizeBytes) => sum + bytesOf({ sizeBytes }), 0);
  return { ...amount, volumes: sizes.size, diskBytes: amount.containers * logBytes + volumesBytes };
}

function amountOfPods({ pods }: Pick<AppSpec, 'pods'>): Amount {
  const amount = amountBy(() => 0);
  /** By name: all pods have the same one, as large as the largest of them wants it. */
  const shared = new Map<string, number>();
  for (const pod of pods) {
    const replicas = replicasOf(pod);
    const { memoryBytes, cpuMillis } = requestsOf(pod.resources);
    const own = pod.volumes.filter(({ isShared }) => !isShared);
    for (const { name, sizeBytes, isShared } of pod.volumes)
      if (isShared) shared.set(name, Math.max(shared.get(name) ?? 0, sizeBytes));
    amount.memoryBytes += replicas * memoryBytes;
    amount.cpuMillis += replicas * cpuMillis;
    amount.diskBytes += replicas * logBytes + copiesOf(pod) * own.reduce((sum, volume) => sum + bytesOf(volume), 0);
    amount.containers += replicas;
    amount.volumes += copiesOf(pod) * own.length;
    if (pod.useGPU) amount.gpus += replicas;
  }
  amount.volumes += shared.size;
  for (const sizeBytes of shared.values()) amount.diskBytes += bytesOf({ sizeBytes });
  return amount;
}

/** How many of each of its volumes a pod has: each replica of a statefulset has its own. */
export function copiesOf(pod: PodSpec): number {
  return pod.resourceType === 'statefulset' ? replicasOf(pod) : 1;
}

function bytesOf({ sizeBytes }: Pick<VolumeSpec, 'sizeBytes'>): number {
  return Math.max(sizeBytes, leastVolumeBytes) + volumeCostBytes;
}
