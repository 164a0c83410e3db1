/**
 * Stops workloads while their volumes are copied, because a cluster cannot freeze writes. The stopped workloads and the
 * copy are marked on their objects: the next process can start them again, and another copy waits.
 */
import { EngineFault } from '../engine.ts';
import { labelKeys } from '../labels.ts';
import type { Cache } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { ClusterRefusal } from './faults.ts';
import { copyKey, ofCopy } from './manifests/marks.ts';
import { type FoundController, type FoundPod, isAtWork, mounts, templateMounts } from './objects.ts';

export type Stop = {
  deploymentId: string;
  claims: ReadonlySet<string>;
  key: string;
  /** An abort ends the wait for their end and starts them again. */
  signal?: AbortSignal | undefined;
};

export type Writers = {
  /**
   * Runs the work while only pods of the key use the claims. Returns the milliseconds for which the others were
   * stopped. Throws EngineFault if they cannot be stopped, or if one has started in between.
   */
  without(stop: Stop, work: () => Promise<void>): Promise<number>;
  /** Restarts the workloads that were stopped for the key. */
  letGo(key: string): Promise<void>;
};

/** In addition to their grace periods: nodes report an end within a few seconds. */
const stopPatienceMs = 5 * 60_000;
/** The maximum wait for another copy, until its stopped workloads run again. */
const turnPatienceMs = 10 * 60_000;
/** The cluster writes their status, so a cached object may be outdated and is soon refreshed. */
const maxTries = 10;
const visiblePatienceMs = 10_000;

const isBeingCopied = 'Another copy of the volumes is in progress.';

export function createWriters(cluster: Pick<Cluster, 'change'>, cache: Cache): Writers {
  // Copiers only read the volumes in use, for any key.
  const usersOf = ({ deploymentId, claims }: Stop): FoundPod[] =>
    cache
      .list('Pod', deploymentId)
      .filter((pod) => isAtWork(pod) && mounts(pod, claims) && pod.metadata.labels?.[copyKey] === undefined);

  const writersOf = ({ deploymentId, claims }: Stop): FoundController[] =>
    cache.list('Deployment', deploymentId).filter((found) => templateMounts(found, claims));

  /** Returns false if the object has changed since it was read, was removed, or was replaced. */
  async function change(
    { metadata }: FoundController,
    { key, ...spec }: { replicas: number; key: string | null },
    resourceVersion?: string,
  ): Promise<boolean> {
    const at = { name: metadata.name, namespace: metadata.namespace! };
    const read = { uid: metadata.uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const fields = { metadata: { ...read, labels: { [copyKey]: key } }, spec };
    const changed = await cluster.change('Deployment', at, fields).catch((error: unknown) => {
      if (error instanceof ClusterRefusal && (error.status === 404 || error.status === 409)) return undefined;
      throw error;
    });
    if (changed) await cache.untilVisible('Deployment', changed);
    return changed !== undefined;
  }

  /** Returns false if an update has removed or replaced it. The first process to mark it stops it. */
  async function stopOne({ metadata: { name, uid } }: FoundController, { deploymentId, key, signal }: Stop) {
    const lookUp = () => cache.find('Deployment', name, deploymentId);
    for (let tries = 0; tries < maxTries; tries++) {
      const found = lookUp();
      if (found?.metadata.uid !== uid) return false;
      const { labels, resourceVersion } = found.metadata;
      if ((labels?.[copyKey] ?? key) !== key) throw new EngineFault('unavailable', isBeingCopied);
      if (await change(found, { replicas: 0, key }, resourceVersion)) return true;
      const hasCome = () => lookUp()?.metadata.resourceVersion !== resourceVersion;
      await cache.until(deploymentId, hasCome, visiblePatienceMs, signal);
    }
    throw new EngineFault('unavailable', 'The pods that write to the volumes could not be stopped.');
  }

  const letOneGo = (found: FoundController) => change(found, { replicas: 1, key: null });

  async function letGo(key: string): Promise<void> {
    await Promise.all(ofCopy(cache.list('Deployment'), key).map(letOneGo));
  }

  async function untilTurn(stop: Stop): Promise<void> {
    const isFree = () => writersOf(stop).every(({ metadata }) => (metadata.labels?.[copyKey] ?? stop.key) === stop.key);
    await cache.until(stop.deploymentId, isFree, turnPatienceMs, stop.signal).catch((error: unknown) => {
      stop.signal?.throwIfAborted();
      throw new EngineFault('unavailable', isBeingCopied, { cause: error });
    });
  }

  return {
    letGo,
    async without(stop, work) {
      const { deploymentId } = stop;
      refuseJobs(usersOf(stop), cache, deploymentId);
      await untilTurn(stop);
      const stopped: FoundController[] = [];
      const from = performance.now();
      try {
        for (const writer of writersOf(stop)) if (await stopOne(writer, stop)) stopped.push(writer);
        await cache.until(deploymentId, () => usersOf(stop).length === 0, stopPatienceMs, stop.signal);
        const watching = new AbortController();
        let hasComeUp = false;
        cache.listen((id) => {
          if (id === deploymentId && usersOf(stop).length > 0) hasComeUp = true;
        }, watching.signal);
        try {
          await work();
          await cache.untilCurrent(stop.signal);
        } finally {
          watching.abort();
        }
        if (hasComeUp) throw new EngineFault('unavailable', 'A pod has started on the volumes while they were copied.');
      } finally {
        await Promise.all(stopped.map(letOneGo));
      }
      return stopped.length === 0 ? 0 : performance.now() - from;
    },
  };
}

/** A job that starts again would repeat its work. */
function refuseJobs(users: readonly FoundPod[], cache: Cache, deploymentId: string): void {
  for (const { metadata } of users) {
    const jobs = cache.list('Job', deploymentId).map((job) => job.metadata.name);
    if (!jobs.includes(metadata.labels?.['job-name'] ?? '')) continue;
    const pod = metadata.labels?.[labelKeys.pod] ?? metadata.name;
    throw new EngineFault('unavailable', `The job ${pod} is at work on the volumes, and is not stopped for a copy.`);
  }
}
