/**
 * The objects on the cluster, kept current: one watch per kind for the whole cluster, by our label. So observing a
 * deployment costs no request. A watch that fails is restarted. After 30 s of silence the library lists again, which
 * limits how old an answer can be.
 */

import type { WorkloadName } from '../../deployment/workload/workload.ts';
import { createBackoff } from '../../lib/backoff.ts';
import { wait } from '../../lib/wait.ts';
import { EngineFault } from '../engine.ts';
import { labelKeys } from '../labels.ts';
import type { Cluster, Followed } from './cluster.ts';
import { clusterUnresponsive } from './faults.ts';
import { deploymentOf, workloadKey } from './manifests/marks.ts';
import { namespaceName, objectName } from './names.ts';
import type {
  Found,
  FoundClaim,
  FoundController,
  FoundNamespace,
  FoundNode,
  FoundPod,
  FoundPolicy,
} from './objects.ts';

type CachedKinds = {
  Namespace: FoundNamespace;
  Deployment: FoundController;
  Job: FoundController;
  Pod: FoundPod;
  PersistentVolumeClaim: FoundClaim;
  NetworkPolicy: FoundPolicy;
  Node: FoundNode;
};

export type CachedKind = keyof CachedKinds;

export type Cache = AsyncDisposable & {
  /** Throws EngineFault while the cached objects may be out of date. */
  check(): void;
  /** For callers that do not retry: watches end now and then. Throws EngineFault if that takes too long. */
  untilCurrent(signal?: AbortSignal): Promise<void>;
  /** Returns the objects of a deployment, or of the whole installation. */
  list<K extends CachedKind>(kind: K, deploymentId?: string): CachedKinds[K][];
  find<K extends CachedKind>(kind: K, name: string, deploymentId?: string): CachedKinds[K] | undefined;
  /** Resolves once the condition holds. It is checked after each change. Throws EngineFault after the time limit. */
  until(deploymentId: string, holds: () => boolean, patienceMs: number, signal?: AbortSignal): Promise<void>;
  /** Waits until the cached object is at least as new. */
  untilVisible(kind: CachedKind, written: Found): Promise<void>;
  listen(listener: (deploymentId: string) => void, signal: AbortSignal): void;
  /** The number of the last change, for `hasChangedSince`. */
  mark(): number;
  hasChangedSince(deploymentId: string, mark: number): boolean;
};

/** A write is seen within milliseconds; a cluster that is that far behind cannot be worked with. */
const visiblePatienceMs = 20_000;

const pauses = { firstMs: 200, longestMs: 5_000 };

/** Resolves when all objects are cached. Throws if the cluster does not respond. */
export async function openCache(cluster: Cluster, owner: string): Promise<Cache> {
  const labelSelector = `${labelKeys.owner}=${owner}`;
  const followed: { [K in CachedKind]: Followed<CachedKinds[K]> } = {
    Namespace: cluster.follow<FoundNamespace>('Namespace', labelSelector),
    Deployment: cluster.follow<FoundController>('Deployment', labelSelector),
    Job: cluster.follow<FoundController>('Job', labelSelector),
    Pod: cluster.follow<FoundPod>('Pod', labelSelector),
    PersistentVolumeClaim: cluster.follow<FoundClaim>('PersistentVolumeClaim', labelSelector),
    NetworkPolicy: cluster.follow<FoundPolicy>('NetworkPolicy', labelSelector),
    Node: cluster.follow<FoundNode>('Node'),
  };
  const kinds = Object.keys(followed) as CachedKind[];
  const closed = new AbortController();
  const behind = new Set<CachedKind>();
  const listeners = new Set<(deploymentId: string) => void>();
  const lastChange = new Map<string, number>();
  let changes = 0;

  function notify(deploymentId: string): void {
    changes += 1;
    lastChange.set(deploymentId, changes);
    for (const listener of [...listeners]) listener(deploymentId);
  }

  function followKind(kind: CachedKind): void {
    const informer: Followed<Found> = followed[kind];
    const backoff = createBackoff(pauses);
    informer.on('change', ({ metadata }) => {
      // A connection that came about while it was stopped.
      if (closed.signal.aborted) return void informer.stop();
      backoff.reset();
      // Records which client wrote which field: 40 to 60 % of an object (measured), not used here.
      Reflect.deleteProperty(metadata, 'managedFields');
      const deploymentId = metadata.labels?.[labelKeys.deployment];
      if (deploymentId !== undefined) notify(deploymentId);
    });
    informer.on('error', () => {
      behind.add(kind);
      void wait(backoff.next(), closed.signal).then(() => (closed.signal.aborted ? undefined : start(kind)));
    });
  }

  /** A failed start is emitted as an error and retried. */
  async function start(kind: CachedKind): Promise<void> {
    behind.delete(kind);
    await (followed[kind] as Followed<Found>).start();
    if (closed.signal.aborted) await followed[kind].stop();
  }

  const cache: Cache = {
    check() {
      if (behind.size > 0) throw new EngineFault('unavailable', clusterUnresponsive);
    },
    async untilCurrent(signal) {
      const enough = AbortSignal.any([AbortSignal.timeout(visiblePatienceMs), ...(signal ? [signal] : [])]);
      while (behind.size > 0 && !enough.aborted) await wait(pauses.firstMs, enough);
      signal?.throwIfAborted();
      cache.check();
    },
    list: (kind, deploymentId) => [
      ...(deploymentId !== undefined && kind === 'Namespace'
        ? [cache.find(kind, namespaceName(deploymentId))].filter((found) => found !== undefined)
        : followed[kind].list(deploymentId === undefined ? undefined : namespaceName(deploymentId))),
    ],
    find: (kind, name, deploymentId) =>
      followed[kind].get(name, deploymentId === undefined ? undefined : namespaceName(deploymentId)),
    async until(deploymentId, holds, patienceMs, signal) {
      const enough = new AbortController();
      const patience = AbortSignal.any([AbortSignal.timeout(patienceMs), closed.signal, ...(signal ? [signal] : [])]);
      cache.listen((id) => id === deploymentId && holds() && enough.abort(), enough.signal);
      if (!holds()) await wait(patienceMs, AbortSignal.any([enough.signal, patience]));
      enough.abort();
      signal?.throwIfAborted();
      if (!holds()) throw new EngineFault('unavailable', 'The cluster has not done this in time.');
    },
    untilVisible(kind, { metadata }) {
      const deploymentId = deploymentOf({ metadata });
      const inNamespace = metadata.namespace === undefined ? undefined : deploymentId;
      const isSeen = () => {
        const found = cache.find(kind, metadata.name, inNamespace);
        return found !== undefined && isAtLeast(found.metadata.resourceVersion, metadata.resourceVersion);
      };
      return cache.until(deploymentId, isSeen, visiblePatienceMs);
    },
    listen(listener, signal) {
      if (signal.aborted) return;
      listeners.add(listener);
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true });
    },
    mark: () => changes,
    hasChangedSince: (deploymentId, mark) => (lastChange.get(deploymentId) ?? 0) > mark,
    async [Symbol.asyncDispose]() {
      closed.abort();
      await Promise.all(kinds.map((kind) => followed[kind].stop()));
    },
  };
  await using opening = new AsyncDisposableStack();
  opening.use(cache);
  for (const kind of kinds) followKind(kind);
  await Promise.all(kinds.map(start));
  cache.check();
  opening.move();
  return cache;
}

/** Versions are numbers that grow, in every store that clusters have (and by their documents since 1.35). */
function isAtLeast(seen: string, written: string): boolean {
  return BigInt(seen) >= BigInt(written);
}

/** The cluster's objects of a workload in the cache. */

/** `job`: where it is one. */
type WorkloadPods = { deploymentId: string; job: FoundController | undefined; pods: FoundPod[] };

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
