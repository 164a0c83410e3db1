/** A cluster that is simulated: objects of deployments that run, and no machine. Nothing on it ever changes. */
import type { Desired } from '../src/deployment/desired.ts';
import type { Cluster, Followed } from '../src/engine/kubernetes/cluster.ts';
import { workloadMarks } from '../src/engine/kubernetes/manifests/marks.ts';
import { namespaceManifest } from '../src/engine/kubernetes/manifests/namespace.ts';
import { networkPolicy } from '../src/engine/kubernetes/manifests/network-policy.ts';
import { controllerManifest } from '../src/engine/kubernetes/manifests/workload.ts';
import { namespaceName, objectName } from '../src/engine/kubernetes/names.ts';
import type { Found, Kind } from '../src/engine/kubernetes/objects.ts';

export type SimulatedCluster = Cluster & {
  /** Adds the objects that the cluster would have created. */
  add(deploymentId: string, desired: Pick<Extract<Desired, { kind: 'running' }>, 'workloads' | 'egress'>): void;
  /** Requests to the API server, by kind and path. */
  requests: string[];
};

const createdAt = '2026-01-01T00:00:00Z';

export function simulatedCluster(owner: string): SimulatedCluster {
  const requests: string[] = [];
  const objects = new Map<Kind, Found[]>();
  const put = (kind: Kind, object: Found) => {
    const known = objects.get(kind);
    if (known) known.push(object);
    else objects.set(kind, [object]);
  };
  return {
    server: 'simulated',
    requests,
    add(deploymentId, { workloads, egress }) {
      put('Namespace', found(namespaceManifest({ owner, deploymentId, epoch: 1, egress }).metadata));
      const settings = { edgeNetworks: [], hasPortRanges: true, storeVersion: 1 };
      const policy = networkPolicy(owner, deploymentId, egress, settings);
      put('NetworkPolicy', { ...policy, ...found(policy.metadata) });
      for (const { workload } of workloads) {
        const request = { owner, deploymentId, workload, image: workload.image, names: [] };
        const manifest = controllerManifest({ ...request, stopSeconds: 5, diskBytes: 2 ** 30, hasLowPorts: true });
        put('Deployment', found(manifest.metadata));
        const { labels } = workloadMarks(owner, deploymentId, workload);
        const name = `${objectName(deploymentId, workload.name)}-x`;
        const running = {
          restartCount: 0,
          containerID: 'containerd://x',
          state: { running: { startedAt: createdAt } },
        };
        const status = { phase: 'Running', podIP: '10.0.0.1', containerStatuses: [running] };
        const pod = { ...found({ name, namespace: namespaceName(deploymentId), labels }), status };
        put('Pod', pod);
      }
    },
    follow: <T extends Found>(kind: Kind) => followed((objects.get(kind) ?? []) as T[]),
    async request<T>(method: string, path: string) {
      requests.push(`${method} ${path}`);
      return { major: '1', minor: '30', metadata: { resourceVersion: '1' } } as T;
    },
    async find(kind, name) {
      requests.push(`GET ${kind} ${name}`);
      return undefined;
    },
    open: notThere,
    apply: notThere,
    change: notThere,
    remove: notThere,
    run: notThere,
    connect: notThere,
  };
}

function notThere(): never {
  throw new Error('Nothing is changed on the simulated cluster.');
}

/** As an informer of the library keeps them: by namespace. */
function followed<T extends Found>(all: T[]): Followed<T> {
  const byNamespace = Map.groupBy(all, ({ metadata }) => metadata.namespace);
  const byName = new Map(all.map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]));
  return {
    list: (namespace) => (namespace === undefined ? all : (byNamespace.get(namespace) ?? [])),
    get: (name, namespace) => byName.get(`${namespace}/${name}`),
    on() {},
    async start() {},
    async stop() {},
  };
}

function found(metadata: { name: string; namespace?: string; labels: object; annotations?: object }): Found {
  const { name, namespace } = metadata;
  const known = { uid: `${namespace}/${name}`, resourceVersion: '1', creationTimestamp: createdAt };
  return { metadata: { ...metadata, ...known } as Found['metadata'] };
}
