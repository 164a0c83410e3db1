/** Lists all objects of this installation on the cluster from the cache, for the sweep. */
import type { Instant } from '../../deployment/deployment.ts';
import type { Owned } from '../engine.ts';
import { labelKeys, readOwnedLabels } from '../labels.ts';
import { isIsolationTrialId } from '../trial-ids.ts';
import type { Cache } from './cache.ts';
import type { Execute } from './execute.ts';
import { deploymentOf } from './manifests/marks.ts';
import { claimsOfVolumes, type Found, isOfVolume } from './objects.ts';
import { cachedWorkloads, egressOf, livingNamespace } from './observe.ts';

/**
 * Workloads come first, then volumes and networks, so that each can be removed in this order. Excludes the objects of
 * isolation tests, which have no row in the store.
 */
export function listOwned(cache: Cache, now: Instant): Owned[] {
  const living = new Set(
    cache
      .list('Namespace')
      .flatMap(({ metadata }) => (metadata.deletionTimestamp || isBeingTried(metadata, now) ? [] : [metadata.name])),
  );
  const isLiving = ({ metadata }: { metadata: { namespace?: string } }) => living.has(metadata.namespace ?? '');
  const workloads = cachedWorkloads(cache)
    .filter(({ controller }) => isLiving(controller))
    .map(
      ({ controller, labels, facts }): Owned => ({
        kind: 'workload',
        id: controller.metadata.name,
        name: labels.name,
        deploymentId: labels.deploymentId,
        phase: facts.phase,
        revision: labels.revision,
      }),
    );
  // Claims of copies go with their namespace.
  const claims = cache.list('PersistentVolumeClaim').filter((claim) => isLiving(claim) && isOfVolume(claim));
  const volumes = [...Map.groupBy(claims, deploymentOf)].flatMap(([deploymentId, its]) =>
    [...claimsOfVolumes(its).keys()].map(
      (volume): Owned => ({ kind: 'volume', id: volume, name: volume, deploymentId, volume }),
    ),
  );
  const occupied = new Set(claims.map(deploymentOf));
  const networks = cache
    .list('Namespace')
    .filter(({ metadata }) => living.has(metadata.name))
    .flatMap((namespace): Owned[] => {
      const deploymentId = deploymentOf(namespace);
      const { name } = namespace.metadata;
      const { epoch } = readOwnedLabels(namespace.metadata.annotations);
      if (egressOf(namespace))
        return [{ kind: 'network', id: name, name, deploymentId, ...(epoch !== undefined && { epoch }) }];
      // An empty namespace was left between the last removal and its own.
      return occupied.has(deploymentId) ? [] : [{ kind: 'group', id: name, name, deploymentId }];
    });
  return [...workloads, ...volumes, ...networks];
}

/** Objects without our marks are not touched. */
export async function removeOwned(cache: Cache, execute: Execute, { kind, id, deploymentId }: Owned): Promise<void> {
  if (!livingNamespace(cache, deploymentId)) return;
  switch (kind) {
    case 'workload':
      return execute.removeWorkload(deploymentId, id);
    case 'volume':
      return execute.removeVolume(deploymentId, id);
    case 'network':
      return execute.removeNetwork(deploymentId);
    case 'group':
      return execute.removeNamespace(deploymentId);
  }
}

/**
 * The names of objects for the isolation test at the start of a process. Other processes on the cluster ignore them.
 */

/** A trial is abandoned after six minutes. After this time, the leftovers of a killed one are orphans. */
const longestMs = 10 * 60_000;

type Metadata = Pick<Found['metadata'], 'labels' | 'creationTimestamp'>;

/** Returns whether a namespace belongs to a trial that is still running. */
export function isBeingTried({ labels, creationTimestamp }: Metadata, now: Instant): boolean {
  const isTrial = isIsolationTrialId(labels?.[labelKeys.deployment] ?? '');
  return isTrial && now - Date.parse(creationTimestamp) < longestMs;
}
