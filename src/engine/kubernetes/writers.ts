/**
 * Those that have volumes, stopped while these are copied: nothing on a cluster holds them back for an instant. Which are
 * stopped is told by their objects, so that whoever comes next lets them go on.
 */
import { EngineFault } from '../engine.ts';
import { labelKeys } from '../labels.ts';
import type { Cache } from './cache.ts';
import { isAtWork, mounts, templateMounts } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { ClusterRefusal } from './faults.ts';
import { copyKey, ofCopy } from './manifests/marks.ts';
import type { FoundController, FoundPod } from './objects.ts';

export type Stop = {
  deploymentId: string;
  claims: ReadonlySet<string>;
  key: string;
  /** Whoever waits for their end gives up, and they start again. */
  signal?: AbortSignal | undefined;
};

export type Writers = {
  /**
   * Does the work while no pod has one of the claims, but those of the key; answers for how many milliseconds they were
   * stopped. Throws EngineFault where they cannot be, and where one has come up meanwhile.
   */
  without(stop: Stop, work: () => Promise<void>): Promise<number>;
  /** Has those start again that were stopped for the key. */
  letGo(key: string): Promise<void>;
};

/** Beyond their own grace periods: nodes tell of an end within a few seconds. */
const stopPatienceMs = 5 * 60_000;

export function createWriters(cluster: Pick<Cluster, 'change'>, cache: Cache): Writers {
  const usersOf = ({ deploymentId, claims, key }: Stop): FoundPod[] =>
    cache
      .list('Pod', deploymentId)
      .filter((pod) => isAtWork(pod) && mounts(pod, claims) && pod.metadata.labels?.[copyKey] !== key);

  async function change({ metadata }: FoundController, replicas: number, key: string | null): Promise<void> {
    const at = { name: metadata.name, namespace: metadata.namespace! };
    const fields = { metadata: { uid: metadata.uid, labels: { [copyKey]: key } }, spec: { replicas } };
    const changed = await cluster.change('Deployment', at, fields).catch((error: unknown) => {
      // An update may have removed it, or put another one in its place.
      if (error instanceof ClusterRefusal && (error.status === 404 || error.status === 409)) return undefined;
      throw error;
    });
    if (changed) await cache.untilSeen('Deployment', changed);
  }

  async function letGo(key: string): Promise<void> {
    const stopped = ofCopy(cache.list('Deployment'), key);
    await Promise.all(stopped.map((found) => change(found, 1, null)));
  }

  return {
    letGo,
    async without(stop, work) {
      const { deploymentId, claims, key } = stop;
      refuseJobs(usersOf(stop), cache, deploymentId);
      const writers = cache.list('Deployment', deploymentId).filter((found) => templateMounts(found, claims));
      const from = performance.now();
      try {
        for (const writer of writers) await change(writer, 0, key);
        await cache.until(deploymentId, () => usersOf(stop).length === 0, stopPatienceMs, stop.signal);
        const watching = new AbortController();
        let hasComeUp = false;
        cache.listen((id) => {
          if (id === deploymentId && usersOf(stop).length > 0) hasComeUp = true;
        }, watching.signal);
        await work().finally(() => watching.abort());
        cache.check();
        if (hasComeUp) throw new EngineFault('unavailable', 'A pod has started on the volumes while they were copied.');
      } finally {
        await Promise.all(writers.map((writer) => change(writer, 1, null)));
      }
      return writers.length === 0 ? 0 : performance.now() - from;
    },
  };
}

/** What one has done so far would be done again. */
function refuseJobs(users: readonly FoundPod[], cache: Cache, deploymentId: string): void {
  for (const { metadata } of users) {
    const jobs = cache.list('Job', deploymentId).map((job) => job.metadata.name);
    if (!jobs.includes(metadata.labels?.['job-name'] ?? '')) continue;
    const pod = metadata.labels?.[labelKeys.pod] ?? metadata.name;
    throw new EngineFault('unavailable', `The job ${pod} is at work on the volumes, and is not stopped for a copy.`);
  }
}
