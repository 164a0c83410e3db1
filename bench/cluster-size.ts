/** What the engine costs that knows very many deployments on a cluster, which is simulated: objects and no machine. */

import type { Workload } from '../src/deployment/workload/workload.ts';
import type { Cluster, Followed } from '../src/engine/kubernetes/cluster.ts';
import { openKubernetesEngine } from '../src/engine/kubernetes/kubernetes.ts';
import { workloadMarks } from '../src/engine/kubernetes/manifests/marks.ts';
import { namespaceManifest } from '../src/engine/kubernetes/manifests/namespace.ts';
import { controllerManifest } from '../src/engine/kubernetes/manifests/workload.ts';
import { namespaceName, objectName } from '../src/engine/kubernetes/names.ts';
import type { Found, Kind } from '../src/engine/kubernetes/objects.ts';

export type ClusterSize = {
  deployments: number;
  pods: number;
  /** While each deployment was looked at once, and all of them for a sweep. */
  requests: number;
  openMs: number;
  observeMs: number;
  listMs: number;
  /** Of the heap, with the objects. */
  bytes: number;
};

const owner = 'simulated';
const podsEach = 2;
const createdAt = '2026-01-01T00:00:00Z';

/** Needs `--expose-gc` for the memory; without it, that is what happens to be in the heap. */
export async function measureClusterSize(deployments: number): Promise<ClusterSize> {
  const ids = Array.from({ length: deployments }, (_, index) => `d${String(index).padStart(9, '0')}`);
  const before = heapBytes();
  const requests: string[] = [];
  const cluster = simulatedCluster(ids, requests);
  const begunAt = performance.now();
  const images = { digestOf: () => Promise.reject(new Error('No image is brought here.')) };
  const starting = { images, localPatterns: ['*'], edgeNetworks: [], diskBytes: 2 ** 30, stopSeconds: 5 };
  await using opened = await openKubernetesEngine({ ...starting, cluster, owner });
  const { engine } = opened;
  const openMs = performance.now() - begunAt;
  requests.length = 0;
  const observedAt = performance.now();
  for (const id of ids) {
    const { workloads } = await engine.observe(id, []);
    if (workloads.length !== podsEach || !workloads.every(({ isReady }) => isReady))
      throw new Error(`${id} is not seen as it is: ${JSON.stringify(workloads)}`);
  }
  const listedAt = performance.now();
  const owned = await engine.listOwned();
  const endedAt = performance.now();
  if (owned.length !== deployments * (podsEach + 1)) throw new Error(`${owned.length} things are seen`);
  return {
    ...{ deployments, pods: deployments * podsEach, requests: requests.length, openMs },
    ...{ observeMs: (listedAt - observedAt) / deployments, listMs: endedAt - listedAt },
    bytes: heapBytes() - before,
  };
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Knows what it was given, and notes what is asked of it. */
function simulatedCluster(ids: readonly string[], requests: string[]): Cluster {
  const objects = new Map<Kind, Found[]>([
    ['Namespace', ids.map((id) => found(namespaceManifest(owner, id, { kind: 'open' }).metadata))],
    ['Deployment', ids.flatMap((id) => workloadsOf(id).map((workload) => found(controllerOf(id, workload).metadata)))],
    ['Pod', ids.flatMap((id) => workloadsOf(id).map((workload) => podOf(id, workload)))],
  ]);
  return {
    server: 'simulated',
    follow: <T extends Found>(kind: Kind) => followed((objects.get(kind) ?? []) as T[]),
    async ask<T>(method: string, path: string) {
      requests.push(`${method} ${path}`);
      return { major: '1', minor: '30' } as T;
    },
    find: async () => undefined,
    ...{ open: notThere, apply: notThere, remove: notThere, run: notThere },
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
    ...{ on() {}, async start() {}, async stop() {} },
  };
}

function workloadsOf(id: string): Workload[] {
  return Array.from({ length: podsEach }, (_, index) => ({
    ...{
      name: `berth-${id}-pod${index}-1-0`,
      pod: `pod${index}`,
      revision: 1,
      replica: 0,
      fingerprint: 'f',
      image: 'x',
    },
    ...{ env: {}, files: [], volumes: [], ports: [], aliases: [], useGPU: false, readiness: { kind: 'running' } },
    resources: { requests: {}, limits: {} },
  }));
}

function controllerOf(deploymentId: string, workload: Workload) {
  const request = {
    owner,
    deploymentId,
    workload,
    image: workload.image,
    names: [],
    stopSeconds: 5,
    diskBytes: 2 ** 30,
  };
  return controllerManifest({ ...request, hasLowPorts: true });
}

function podOf(deploymentId: string, workload: Workload): Found {
  const { labels } = workloadMarks(owner, deploymentId, workload);
  const name = `${objectName(deploymentId, workload.name)}-x`;
  const running = { restartCount: 0, containerID: 'containerd://x', state: { running: { startedAt: createdAt } } };
  const status = { phase: 'Running', podIP: '10.0.0.1', containerStatuses: [running] };
  return { ...found({ name, namespace: namespaceName(deploymentId), labels }), ...{ status } };
}

function found(metadata: { name: string; namespace?: string; labels: object; annotations?: object }): Found {
  const { name, namespace } = metadata;
  const known = { uid: `${namespace}/${name}`, resourceVersion: '1', creationTimestamp: createdAt };
  return { metadata: { ...metadata, ...known } as Found['metadata'] };
}
