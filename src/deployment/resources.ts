/** PURE. What a pod may use, and what is set aside for it: the one place for what a configuration leaves open. */
import { limitOf } from '../config/limits.ts';
import type { AppSpec, Resources } from '../config/spec.ts';
import { replicasOf } from './desired.ts';

type PodResources = { requests: Resources; limits: Resources };

/**
 * Of a limit, at least this part is set aside, whatever is requested. Limits are for the worst moment: a small web
 * server with the default of 512 MiB holds some 5 to 30 MiB. 32 MiB each lets 600 of them share 24 GB of memory; counted
 * in full, 38 would fill it. And nobody gets a limit of 24 GiB for a request of one byte.
 */
export const leastShare = 1 / 16;

/** A container's log files: three of 10 MB at most. */
const logBytes = 30_000_000;

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

/** Memory and processor to be set aside, and disk to be filled at most (without what containers write elsewhere). */
export type Amount = { memoryBytes: number; cpuMillis: number; diskBytes: number };

/** What an application asks for: all replicas of all its pods, once; an update's old and new side by side count once. */
export function amountOf({ pods }: AppSpec): Amount {
  const amount: Amount = { memoryBytes: 0, cpuMillis: 0, diskBytes: 0 };
  for (const pod of pods) {
    const replicas = replicasOf(pod);
    const { memoryBytes, cpuMillis } = requestsOf(pod.resources);
    const volumes = pod.volumes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    amount.memoryBytes += replicas * memoryBytes;
    amount.cpuMillis += replicas * cpuMillis;
    amount.diskBytes += replicas * logBytes + (pod.resourceType === 'statefulset' ? replicas : 1) * volumes;
  }
  return amount;
}
