/** PURE. The cluster's objects of a workload in the cache. */
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import type { Cache } from './cache.ts';
import { workloadKey } from './manifests/marks.ts';
import { objectName } from './names.ts';
import type { FoundController, FoundPod } from './objects.ts';

/** `job`: where it is one. */
export type WorkloadPods = { deploymentId: string; job: FoundController | undefined; pods: FoundPod[] };

/** Undefined where it is not there, or not of this installation. */
export function findPods(cache: Pick<Cache, 'find' | 'list'>, name: WorkloadName): WorkloadPods | undefined {
  const deploymentId = /^berth-([a-z0-9]+)-/.exec(name)?.[1];
  if (deploymentId === undefined) return undefined;
  const object = objectName(deploymentId, name);
  const job = cache.find('Job', object, deploymentId);
  if (!job && !cache.find('Deployment', object, deploymentId)) return undefined;
  const pods = cache.list('Pod', deploymentId).filter(({ metadata }) => metadata.labels?.[workloadKey] === object);
  return { deploymentId, job, pods };
}

/** Programs can be run in it. */
export function isRunning({ metadata, status }: FoundPod): boolean {
  return metadata.deletionTimestamp === undefined && status?.containerStatuses?.[0]?.state?.running !== undefined;
}
