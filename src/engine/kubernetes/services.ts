/** The Services of a deployment on the cluster. They are created and removed as its workloads start. */
import type { Neighbour, Workload } from '../../deployment/workload/workload.ts';
import { deploymentLabels, labelKeys, labelSelector } from '../labels.ts';
import type { Cache } from './cache.ts';
import { type Cluster, pathOf } from './cluster.ts';
import { aliasMarks, readAliases } from './manifests/marks.ts';
import { quotaManifest } from './manifests/namespace.ts';
import type { KnownNames } from './manifests/workload.ts';
import { clusterName, namespaceName, replicaServiceName } from './names.ts';
import type { FoundService, Manifest } from './objects.ts';

export type Services = {
  /**
   * Creates the Services of the workload and the missing ones of its neighbors, and returns the names of all Services.
   * A pod only reads them at its start, so earlier pods must also know later ones. First removes Services that neither
   * a neighbor nor an existing workload has.
   */
  make(deploymentId: string, workload: Workload, neighbours: readonly Neighbour[]): Promise<KnownNames>;
  /** Removes the services of a deployment without running workloads. */
  removeAll(deploymentId: string): Promise<void>;
};

export function createServices(
  cluster: Pick<Cluster, 'request' | 'apply' | 'remove'>,
  cache: Pick<Cache, 'list'>,
  owner: string,
): Services {
  async function list(deploymentId: string): Promise<FoundService[]> {
    const query = { labelSelector: labelSelector(owner, deploymentId).join(',') };
    const path = pathOf('Service', undefined, namespaceName(deploymentId));
    return (await cluster.request<{ items: FoundService[] }>('GET', path, { query })).items;
  }

  async function remove(deploymentId: string, services: readonly FoundService[]): Promise<void> {
    const namespace = namespaceName(deploymentId);
    await Promise.all(
      services.map(({ metadata: { name, uid } }) => cluster.remove('Service', name, { namespace, uid })),
    );
  }

  /** Existing workloads of any revision stay reachable until they are removed. */
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
      // The quota of a namespace from an earlier release does not count services.
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

/**
 * The Services through which pods of a deployment reach each other. Pods read the address once at their start, so it
 * stays after the removal of a pod, as long as the pod may be created again.
 */

type ServiceRequest = { owner: string; deploymentId: string; workload: Neighbour };

/** All Service names that a replica of a pod may have. */
export function serviceNames(pod: string, replica: number): string[] {
  return [clusterName(pod), replicaServiceName(pod, replica)];
}

/**
 * Returns one Service for all replicas of the pod, and one for this replica if it has its own names. Empty for a pod
 * without ports, because a Service needs ports.
 */
export function serviceManifests({ owner, deploymentId, workload }: ServiceRequest): Manifest[] {
  const { pod, replica, aliases, ports } = workload;
  if (ports.length === 0) return [];
  const isOfReplica = (alias: string) => [`${pod}-${replica}`, `${pod}-${replica}.pod`].includes(alias);
  const selector = { ...deploymentLabels(owner, deploymentId), [labelKeys.pod]: pod };
  const service = (name: string, names: string[], more = {}): Manifest => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: namespaceName(deploymentId),
      labels: selector,
      annotations: aliasMarks(names),
    },
    spec: {
      type: 'ClusterIP',
      selector: { ...selector, ...more },
      ports: [...new Set(ports)].map((port) => ({ name: `tcp-${port}`, protocol: 'TCP', port, targetPort: port })),
      // Berth's own probes decide about readiness, and starting pods may need each other.
      publishNotReadyAddresses: true,
    },
  });
  const own = aliases.filter(isOfReplica);
  return [
    service(
      clusterName(pod),
      aliases.filter((alias) => !isOfReplica(alias)),
    ),
    ...(own.length > 0
      ? [service(replicaServiceName(pod, replica), own, { [labelKeys.replica]: String(replica) })]
      : []),
  ];
}
