/** The Services of a deployment on the cluster. They are created and removed as its workloads start. */
import type { Neighbour, Workload } from '../../deployment/workload/workload.ts';
import { labelKeys, labelSelector } from '../labels.ts';
import type { Cache } from './cache.ts';
import { type Cluster, pathOf } from './cluster.ts';
import type { KnownNames } from './manifests/host-aliases.ts';
import { readAliases } from './manifests/marks.ts';
import { quotaManifest } from './manifests/namespace.ts';
import { serviceManifests, serviceNames } from './manifests/services.ts';
import { namespaceName } from './names.ts';
import type { FoundService } from './objects.ts';

export type Services = {
  /**
   * Creates the Services of the workload and the missing ones of its neighbors, and returns the names of all Services:
   * a pod learns them only at its start, so that earlier pods also know later ones. First removes Services that neither
   * a neighbor nor a present workload has.
   */
  make(deploymentId: string, workload: Workload, neighbours: readonly Neighbour[]): Promise<KnownNames>;
  /** Of a deployment in which nothing runs. */
  removeAll(deploymentId: string): Promise<void>;
};

export function createServices(
  cluster: Pick<Cluster, 'ask' | 'apply' | 'remove'>,
  cache: Pick<Cache, 'list'>,
  owner: string,
): Services {
  async function list(deploymentId: string): Promise<FoundService[]> {
    const query = { labelSelector: labelSelector(owner, deploymentId).join(',') };
    const path = pathOf('Service', undefined, namespaceName(deploymentId));
    return (await cluster.ask<{ items: FoundService[] }>('GET', path, { query })).items;
  }

  async function remove(deploymentId: string, services: readonly FoundService[]): Promise<void> {
    const namespace = namespaceName(deploymentId);
    await Promise.all(
      services.map(({ metadata: { name, uid } }) => cluster.remove('Service', name, { namespace, uid })),
    );
  }

  /** Present workloads of any revision stay reachable until they are gone. */
  function usedNames(deploymentId: string): string[] {
    return (['Deployment', 'Job'] as const)
      .flatMap((kind) => cache.list(kind, deploymentId))
      .flatMap(({ metadata: { labels = {} } }) =>
        serviceNames(labels[labelKeys.pod] ?? '', Number(labels[labelKeys.replica])),
      );
  }

  return {
    async make(deploymentId, workload, neighbours) {
      const manifestsOf = (each: Neighbour) => serviceManifests({ owner, deploymentId, workload: each });
      const own = manifestsOf(workload);
      const wanted = new Map(
        [...neighbours.flatMap(manifestsOf), ...own].map((manifest) => [manifest.metadata.name, manifest]),
      );
      const kept = new Set([...wanted.keys(), ...usedNames(deploymentId)]);
      const found = Map.groupBy(await list(deploymentId), ({ metadata }) => kept.has(metadata.name));
      const staying = found.get(true) ?? [];
      await remove(deploymentId, found.get(false) ?? []);
      const known = new Set(staying.map(({ metadata }) => metadata.name));
      const missing = [...wanted.values()].filter(({ metadata }) => !known.has(metadata.name));
      // Of a namespace that an earlier release has made, the quota does not count them.
      if (missing.length > 0) await cluster.apply(quotaManifest(owner, deploymentId));
      const made = await Promise.all(
        [...new Set([...missing, ...own])].map((manifest) => cluster.apply<FoundService>(manifest)),
      );
      const byName = new Map([...staying, ...made].map((service) => [service.metadata.name, service]));
      return [...byName.values()].flatMap(({ metadata, spec }) =>
        spec?.clusterIP === undefined ? [] : [{ address: spec.clusterIP, aliases: readAliases(metadata.annotations) }],
      );
    },
    removeAll: async (deploymentId) => remove(deploymentId, await list(deploymentId)),
  };
}
