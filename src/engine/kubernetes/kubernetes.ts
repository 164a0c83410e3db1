/** The engine port on a cluster of Kubernetes 1.20 or newer. It only uses the cluster's API. */
import type { Capacity } from '../../deployment/limits/host-budget.ts';
import type { Observed } from '../../deployment/workload/workload.ts';
import type { Engine } from '../engine.ts';
import { type Mark, waitForChange } from '../readiness/change.ts';
import { createRechecks, minPeriodMs as minProbePeriodMs } from '../readiness/recheck.ts';
import type { VolumeCopies } from '../volume-facets.ts';
import { openCache } from './cache.ts';
import { type Cluster, pathOf } from './cluster.ts';
import { type CopiesParts, createVolumeCopies } from './copies.ts';
import { createExec } from './exec.ts';
import { createExecute, type ExecuteSettings } from './execute.ts';
import { faultOf } from './faults.ts';
import { type ClusterImageParts, createClusterImages } from './images.ts';
import { createInitialContent } from './initial-content.ts';
import { createLogReader } from './logs.ts';
import { type FoundNode, type Hanging, hangingNamespaces } from './objects.ts';
import { createObserver } from './observe.ts';
import { listOwned, removeOwned } from './owned.ts';
import { amountOf, bytesOf } from './quantities.ts';

export type KubernetesEngineOptions = Omit<
  ExecuteSettings,
  'hasPortRanges' | 'hasLowPorts' | 'storeVersion' | 'now' | 'epoch'
> &
  ClusterImageParts & {
    cluster: Cluster;
    /** The epoch of the store now; default: 0. */
    epoch?: () => number;
    /** The shortest period of health checks after a workload was ready. Default: 10 s. */
    minPeriodMs?: number;
    /**
     * The image of pods that read and fill volumes: has GNU tar, and a shell with the usual programs. Default: none.
     */
    copierImage?: string | undefined;
    /** The VolumeSnapshotClass to use, and a callback with the reason if none can be used. */
    snapshots?: CopiesParts['snapshots'];
    /** Called once for each namespace of the installation whose removal does not end. */
    onHanging?: (hanging: Hanging) => void;
    /** Epoch milliseconds; may jump. */
    now?: () => number;
    /** Milliseconds since some instant; never jumps. */
    uptime?: () => number;
  };

export type KubernetesEngine = Engine & Required<Pick<Engine, 'isolation' | 'exec'>>;

const pingPatienceMs = 2_000;

/** Every cluster has this namespace for its lifetime, so its ID identifies the cluster. */
const systemNamespace = 'kube-system';

/** Resolves when all objects of the installation are cached. Throws EngineFault if the cluster does not respond. */
export async function openKubernetesEngine(
  options: KubernetesEngineOptions,
): Promise<AsyncDisposable & { engine: KubernetesEngine; version: string }> {
  const { cluster, owner, now = Date.now, uptime = () => performance.now() } = options;
  const { minPeriodMs = minProbePeriodMs, onHanging = () => {}, epoch = () => 0 } = options;
  const { major, minor } = await withFaults(() => cluster.request<{ major: string; minor: string }>('GET', '/version'));
  const system = await withFaults(() => cluster.find('Namespace', systemNamespace));
  const storeVersion = await withFaults(() => storeVersionOf(cluster));
  const isRecent = Number(major) > 1 || Number.parseInt(minor, 10) >= 22;
  await using opening = new AsyncDisposableStack();
  const cache = opening.use(await withFaults(() => openCache(cluster, owner)));
  const { bring, contents, bases, isOnNodes } = createClusterImages(options, () =>
    architectureOf(cache.list('Node').filter(isOpen)),
  );
  const settings = { ...options, epoch, now, hasPortRanges: isRecent, hasLowPorts: isRecent, storeVersion };
  const execute = createExecute(cluster, cache, bring, settings);
  const observer = createObserver(cluster, cache, { minPeriodMs, now, uptime, policy: settings });
  const { read, follow } = createLogReader(cluster, cache);
  const rechecked = new Set<(deploymentId: string) => void>();
  const recheckWhile = createRechecks(observer.allKnown, (id) => {
    for (const listener of [...rechecked]) listener(id);
  });
  const marks = new WeakMap<Observed, Mark>();
  let lastCapacity: Capacity | undefined;

  let reported = new Set<string>();
  function tellOfHanging(): void {
    const hanging = hangingNamespaces(cache.list('Namespace'), now());
    for (const each of hanging) if (!reported.has(each.namespace)) onHanging(each);
    reported = new Set(hanging.map(({ namespace }) => namespace));
  }

  const { copierImage: image } = options;
  const bare = image !== undefined && createVolumeCopies({ ...options, cache, bring, image, namespaces: execute });
  const copies = bare && withAllFaults(bare);
  const beginnings = createInitialContent({ cluster, cache, copies: bare || undefined, contents });
  const engine: KubernetesEngine = {
    cluster: system?.metadata.uid,
    // The log API combines both streams. Selecting one of them needs a feature gate that is off by default.
    separatesStreams: false,
    fillsVolumes: copies !== false && options.images.nodes !== undefined,
    ping: () => withFaults(async () => void (await cluster.request('GET', '/version', { patienceMs: pingPatienceMs }))),

    observe: (deploymentId) =>
      withFaults(async () => {
        const mark = { event: cache.mark(), atMs: now() };
        const observed = await observer.observe(deploymentId);
        marks.set(observed, mark);
        return observed;
      }),

    execute: (deploymentId, operation, limits) =>
      withFaults(async () => {
        if (operation.kind === 'start') await beginnings.fill(deploymentId, operation.workload, limits);
        await execute.change(deploymentId, operation, limits);
      }),

    findImage: async (image) => (isOnNodes(image) ? { reference: image, isOperators: true } : undefined),

    change: (deploymentId, seen, timeoutMs, signal) => {
      const mark = marks.get(seen) ?? { event: cache.mark(), atMs: now() };
      const known = observer.known(deploymentId);
      return waitForChange(cache, { deploymentId, observed: seen, mark, known, timeoutMs, signal }, uptime);
    },

    watch: (onChange, signal) => {
      if (signal.aborted) return;
      cache.listen(onChange, signal);
      rechecked.add(onChange);
      signal.addEventListener('abort', () => rechecked.delete(onChange), { once: true });
      recheckWhile(signal);
    },

    logs: (name, wanted) => withFaults(() => read(name, wanted)),
    followLogs: follow,

    async capacity() {
      const nodes = cache.list('Node').filter(isOpen);
      if (nodes.length > 0) lastCapacity = capacityOf(nodes);
      return lastCapacity ?? { memoryBytes: 0, cpuMillis: 0 };
    },

    listOwned: () =>
      withFaults(async () => {
        cache.check();
        tellOfHanging();
        return listOwned(cache, now());
      }),
    removeOwned: (owned) => withFaults(() => removeOwned(cache, execute, owned)),

    ...(copies && { copies }),
    ...(bases && { bases }),

    exec: createExec(cluster, cache),

    isolation: {
      setEgress: (deploymentId, egress) => withFaults(() => execute.setEgress(deploymentId, egress)),
    },
  };
  const open = opening.move();
  return { engine, version: `${major}.${minor}`, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** The version of a list, which is read from the store itself. */
async function storeVersionOf(cluster: Cluster): Promise<number> {
  const list = await cluster.request<{ metadata: { resourceVersion: string } }>('GET', pathOf('Namespace'), {
    query: { limit: 1 },
  });
  return Number(list.metadata.resourceVersion);
}

/** Returns the capacity of the nodes that accept pods. */
function capacityOf(nodes: readonly FoundNode[]): Capacity {
  const sum = (of: (node: FoundNode) => number | undefined) => nodes.reduce((all, node) => all + (of(node) ?? 0), 0);
  return {
    memoryBytes: sum(({ status }) => bytesOf(status?.allocatable?.memory)),
    cpuMillis: Math.round(1000 * sum(({ status }) => amountOf(status?.allocatable?.cpu))),
  };
}

/** Returns the architecture of most of these nodes. Pods only run on those. */
function architectureOf(nodes: readonly FoundNode[]): string | undefined {
  const known = nodes.flatMap(({ status }) => status?.nodeInfo?.architecture ?? []);
  const times = (architecture: string) => known.filter((each) => each === architecture).length;
  return [...new Set(known)].sort((a, b) => times(b) - times(a) || (a < b ? -1 : 1))[0];
}

function isOpen({ spec, status }: FoundNode): boolean {
  const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return Boolean(isReady) && !spec?.unschedulable;
}

function withAllFaults(copies: VolumeCopies): VolumeCopies {
  return {
    sizes: (...requested) => withFaults(() => copies.sizes(...requested)),
    take: (...requested) => withFaults(() => copies.take(...requested)),
    make: (...requested) => withFaults(() => copies.make(...requested)),
    finish: (...requested) => withFaults(() => copies.finish(...requested)),
    swap: (...requested) => withFaults(() => copies.swap(...requested)),
    filledBytes: copies.filledBytes,
    room: copies.room,
    clear: (key) => withFaults(() => copies.clear(key)),
    list: () => withFaults(() => copies.list()),
  };
}

async function withFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}
