/** The default limits of pods. Pure. */
import type { Resources } from './spec.ts';

type PodResources = { requests: Resources; limits: Resources };

const mebibyte = 2 ** 20;

/** For a pod that sets no limits. */
const defaultLimits = { cpuMillis: 1000, memoryBytes: 512 * mebibyte };

/** Docker's own lower limits. */
const minLimits = { cpuMillis: 10, memoryBytes: 6 * mebibyte };

/** Returns the configured limit, or else the default. A larger request takes precedence over the default. */
export function limitOf({ requests, limits }: PodResources, resource: keyof Resources): number {
  return Math.max(limits[resource] ?? Math.max(defaultLimits[resource], requests[resource] ?? 0), minLimits[resource]);
}

export function memoryLimitOf(resources: PodResources): number {
  return limitOf(resources, 'memoryBytes');
}
