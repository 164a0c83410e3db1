/** PURE. Limits and reservations of a pod, including the defaults. */
import { limitOf } from '../../config/spec/default-limits.ts';
import type { AppSpec, PodSpec, Resources, VolumeSpec } from '../../config/spec/spec.ts';
import { replicasOf, volumesOf } from '../desired-volumes.ts';
import { minVolumeBytes } from '../disk/disk-levels.ts';
import { type Counts, countedKinds } from './count-limits.ts';

type PodResources = { requests: Resources; limits: Resources };

/**
 * The minimum part of a limit that is reserved, even with a smaller request. Limits are for peaks: a small web server
 * with the default of 512 MiB uses some 5 to 30 MiB. With 32 MiB each, 600 of them share 24 GB of memory; with the full
 * limit, 38 would fill it. The minimum also prevents a limit of 24 GiB with a request of one byte.
 */
export const minShare = 1 / 16;

/** A container's log files: at most three of 10 MB. */
const logBytes = 30_000_000;

/**
 * Added to the size of each volume: the journal and tables of its file system, which are 5 MiB for a small one, and a
 * mount and a loop device, which are limited per host.
 */
export const volumeCostBytes = 8 * 2 ** 20;

/** Returns the limit: as configured, otherwise the default, or the request if that is higher. */
export function limitsOf(resources: PodResources): Required<Resources> {
  return { cpuMillis: limitOf(resources, 'cpuMillis'), memoryBytes: limitOf(resources, 'memoryBytes') };
}

/** The part of the host's budget that one replica reserves. */
export function requestsOf(resources: PodResources): Required<Resources> {
  const limits = limitsOf(resources);
  const requestOf = (resource: keyof Resources) =>
    Math.max(resources.requests[resource] ?? 0, Math.ceil(limits[resource] * minShare));
  return { cpuMillis: requestOf('cpuMillis'), memoryBytes: requestOf('memoryBytes') };
}

/** Reserved memory and processors, maximum disk use (without files outside of volumes), and counts. */
export type Amount = { memoryBytes: number; cpuMillis: number; diskBytes: number } & Counts;

export const amountKeys = [
  ...(['memoryBytes', 'cpuMillis', 'diskBytes'] as const),
  ...countedKinds,
] as const satisfies readonly (keyof Amount)[];

/** Adds two amounts. */
export function amountBy(part: (key: keyof Amount) => number): Amount {
  return Object.fromEntries(amountKeys.map((key) => [key, part(key)])) as Amount;
}

/** Volumes by name, each with its largest size. Volumes never shrink and exist as long as their deployment. */
export type VolumeSizes = ReadonlyMap<string, number>;

/** The volumes of a revision, and those of earlier revisions. */
export function volumeSizesOf(spec: Pick<AppSpec, 'pods'>, left: VolumeSizes): VolumeSizes {
  const sizes = new Map(left);
  for (const { volume, sizeBytes } of volumesOf(spec)) sizes.set(volume, Math.max(sizeBytes, sizes.get(volume) ?? 0));
  return sizes;
}

/**
 * Returns what an application requests: all replicas of all pods. Old and new workloads during an update count once.
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
  /** Volumes are counted by name, because pods can share one. The largest requested size counts. */
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

/** Returns how many of each volume a pod has: each replica of a statefulset has its own. */
export function copiesOf(pod: PodSpec): number {
  return pod.resourceType === 'statefulset' ? replicasOf(pod) : 1;
}

function bytesOf({ sizeBytes }: Pick<VolumeSpec, 'sizeBytes'>): number {
  return Math.max(sizeBytes, minVolumeBytes) + volumeCostBytes;
}
