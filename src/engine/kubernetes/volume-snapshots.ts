/**
 * Copies of volumes with the cluster's VolumeSnapshots, if its storage supports them, without stopping writers. Each
 * volume is in the state after a power failure at one instant; volumes of a deployment are copied at slightly different
 * instants. Each VolumeSnapshot becomes a claim, which a pod reads.
 */
import { wait } from '../../lib/wait.ts';
import { EngineFault } from '../engine.ts';
import { labelKeys } from '../labels.ts';
import type { Cache } from './cache.ts';
import { type Cluster, pathOf } from './cluster.ts';
import type { Copiers, Places } from './copiers.ts';
import { ClusterRefusal, faultOf } from './faults.ts';
import { asideName, fromSnapshotManifest, volumeSnapshotManifest } from './manifests/claim.ts';
import { copyKey } from './manifests/marks.ts';
import { namespaceName } from './names.ts';
import type { FoundClaim, FoundSnapshotClass, FoundStorageClass, FoundVolumeSnapshot } from './objects.ts';
import type { PodAddress } from './pod-programs.ts';
import { bytesOf } from './quantities.ts';

/** Chooses the VolumeSnapshotClass for the volumes of a storage class. */

/** A class, or the reason for its absence, as a message for the operator. */
type ChosenClass = { name: string } | { because: string };

const defaultKey = 'snapshot.storage.kubernetes.io/is-default-class';

/** `driver`: of the volumes. `wanted`: the only class that may be used, if set. */
export function chooseSnapshotClass(
  driver: string,
  classes: readonly FoundSnapshotClass[],
  wanted?: string,
): ChosenClass {
  const named = classes.filter(({ metadata }) => wanted === undefined || metadata.name === wanted);
  if (named.length === 0 && wanted !== undefined)
    return { because: `the cluster has no VolumeSnapshotClass ${wanted}` };
  const own = named.filter((each) => each.driver === driver);
  if (own.length === 0)
    return { because: `no VolumeSnapshotClass${wanted === undefined ? '' : ` ${wanted}`} is of the driver ${driver}` };
  // With another policy, the storage would keep the data after the object is removed.
  const leaving = own.filter(({ deletionPolicy }) => deletionPolicy === 'Delete');
  if (leaving.length === 0) return { because: `the deletionPolicy of ${namesOf(own)} is not Delete` };
  const defaults = leaving.filter(({ metadata }) => metadata.annotations?.[defaultKey] === 'true');
  const [only, ...others] = leaving.length === 1 || defaults.length === 0 ? leaving : defaults;
  if (others.length === 0) return { name: only!.metadata.name };
  return {
    because: `there are several of the driver ${driver}, ${namesOf(leaving)}: snapshots=CLASS of BERTH_STORAGE_CLASS names one`,
  };
}

function namesOf(classes: readonly FoundSnapshotClass[]): string {
  return classes
    .map(({ metadata }) => metadata.name)
    .sort()
    .join(', ');
}

export type VolumeSnapshotParts = {
  cluster: Pick<Cluster, 'request' | 'apply' | 'find' | 'remove'>;
  cache: Pick<Cache, 'untilVisible'>;
  copiers: Pick<Copiers, 'start'>;
  owner: string;
  /** The only class to use. `none`: VolumeSnapshots are disabled. Default: the class of the volumes' driver. */
  snapshotClass?: string | undefined;
  /** Called with the reason if volumes of a storage class are copied in another way; once per reason. */
  onUnused?: ((unused: Unused) => void) | undefined;
  patience?: Patience | undefined;
};

type Place = { pod: PodAddress; path: string };

export type Unused = { storageClass: string; because: string };

/** `readyMs`: the limit for taking all snapshots; `errorMs`: how long a reported error may last. */
export type Patience = { pauseMs: number; readyMs: number; errorMs: number };

export type VolumeSnapshots = {
  /** Returns where the snapshots can be read. Undefined if the volumes must be copied in another way. */
  take(wanted: Taking): Promise<Places | undefined>;
  /** Removes the VolumeSnapshots of the key. A claim that is being created from one delays its removal. */
  remove(key: string): Promise<void>;
  /** The keys of all existing copies. Those of a killed process are found within a minute. */
  keys(): Promise<string[]>;
};

export type Taking = {
  deploymentId: string;
  key: string;
  /** The claims by volume. */
  sources: ReadonlyMap<string, FoundClaim>;
  signal?: AbortSignal | undefined;
};

/** Some storage reports a snapshot as ready only after it was copied to another location. */
const usualPatience: Patience = { pauseMs: 1000, readyMs: 10 * 60_000, errorMs: 60_000 };

/** The pause after a failure of the storage, because waiting for it each time would take minutes. */
const restMs = 60 * 60_000;
const lookEveryMs = 60_000;

export function createVolumeSnapshots(parts: VolumeSnapshotParts): VolumeSnapshots {
  const { cluster, cache, copiers, owner, snapshotClass, onUnused = () => {}, patience = usualPatience } = parts;
  /** The last reported reason for not using a storage class, by class. */
  const reported = new Map<string, string>();
  const restsUntilMs = new Map<string, number>();
  const known = new Set<string>();
  let nextLookMs = 0;

  function reportUnused(storageClass: string, because: string): void {
    if (reported.get(storageClass) !== because) onUnused({ storageClass, because });
    reported.set(storageClass, because);
  }

  /** Returns the class for each storage class. Undefined if one of them has none. */
  async function findClasses(storageClasses: ReadonlySet<string>): Promise<ReadonlyMap<string, string> | undefined> {
    const rests = (name: string) => (restsUntilMs.get(name) ?? 0) > performance.now();
    if (snapshotClass === 'none' || [...storageClasses].some(rests)) return undefined;
    const found = new Map<string, string>();
    for (const name of storageClasses) {
      const chosen = await findClass(name).catch((error: unknown) => ({ because: messageOf(error) }));
      if ('because' in chosen) reportUnused(name, chosen.because);
      else found.set(name, chosen.name);
    }
    return found.size === storageClasses.size ? found : undefined;
  }

  async function findClass(storageClass: string) {
    const { items } = await cluster.request<{ items: FoundSnapshotClass[] }>('GET', pathOf('VolumeSnapshotClass'));
    const found = storageClass !== '' && (await cluster.find<FoundStorageClass>('StorageClass', storageClass));
    if (!found) return { because: 'the storage class does not exist' };
    return chooseSnapshotClass(found.provisioner, items, snapshotClass);
  }

  /**
   * Undefined if the cluster does not support VolumeSnapshots or does not allow listing them. Then none exist, either.
   */
  async function listAll(selector: string): Promise<FoundVolumeSnapshot[] | undefined> {
    return await list(selector).catch((error: unknown) => {
      if (error instanceof ClusterRefusal && [403, 404].includes(error.status)) return undefined;
      throw error;
    });
  }

  async function list(selector: string, namespace?: string): Promise<FoundVolumeSnapshot[]> {
    const query = { labelSelector: `${labelKeys.owner}=${owner},${selector}` };
    const path = pathOf('VolumeSnapshot', undefined, namespace);
    return (await cluster.request<{ items: FoundVolumeSnapshot[] }>('GET', path, { query })).items;
  }

  async function untilReady({ deploymentId, key, sources, signal }: Taking): Promise<Map<string, FoundVolumeSnapshot>> {
    const from = performance.now();
    let errorSince: number | undefined;
    for (;;) {
      const found = await list(`${copyKey}=${key}`, namespaceName(deploymentId));
      const ready = found.filter(({ status }) => status?.readyToUse === true);
      if (ready.length === sources.size) return new Map(ready.map((each) => [each.metadata.name, each]));
      const error = found.map(({ status }) => status?.error?.message).find((message) => message !== undefined);
      const now = performance.now();
      errorSince = error === undefined ? undefined : (errorSince ?? now);
      if (errorSince !== undefined && now - errorSince >= patience.errorMs)
        throw new EngineFault('unavailable', error!);
      if (now - from >= patience.readyMs)
        throw new EngineFault(
          'unavailable',
          `its VolumeSnapshots are not ready after ${patience.readyMs / 60_000} min`,
        );
      await wait(patience.pauseMs, signal);
      signal?.throwIfAborted();
    }
  }

  async function takeBy(classes: ReadonlyMap<string, string>, taking: Taking): Promise<Places> {
    const { deploymentId, key, sources, signal } = taking;
    const common = { owner, deploymentId, key };
    const manifests = [...sources].map(([volume, { metadata, spec }]) => {
      const className = classes.get(spec?.storageClassName ?? '')!;
      return volumeSnapshotManifest({ ...common, volume, claim: metadata.name, className });
    });
    // All are created at once to minimize the time between them.
    await Promise.all(manifests.map((manifest) => cluster.apply(manifest)));
    const ready = await untilReady(taking);
    const places = new Map<string, Place>();
    // Each may be on any node, and possibly no node can mount all of them.
    const reading = [...sources].map(async ([volume, { spec }], index) => {
      const name = asideName('snapshot', key, volume);
      const sizes = [spec?.resources?.requests?.storage, ready.get(name)?.status?.restoreSize];
      const sizeBytes = Math.max(...sizes.map((size) => bytesOf(size) ?? 0));
      const claim = fromSnapshotManifest({ ...common, volume, sizeBytes, storageClass: spec?.storageClassName });
      await cache.untilVisible('PersistentVolumeClaim', await cluster.apply(claim));
      const mounts = [{ claim: name, path: '/from', readOnly: false }];
      const pod = await copiers.start({ deploymentId, key, part: `snapshot-${index}`, mounts, signal });
      places.set(volume, { pod, path: '/from' });
    });
    const failed = (await Promise.allSettled(reading)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return places;
  }

  return {
    async take(taking) {
      const claims = [...taking.sources.values()];
      // An unused claim may wait for its first pod and not exist in the storage yet.
      if (claims.some(({ status }) => status?.phase !== 'Bound')) return undefined;
      const storageClasses = new Set(claims.map(({ spec }) => spec?.storageClassName ?? ''));
      const classes = await findClasses(storageClasses);
      if (!classes) return undefined;
      known.add(taking.key);
      return await takeBy(classes, taking).catch((error: unknown) => {
        taking.signal?.throwIfAborted();
        const because = messageOf(error);
        for (const storageClass of storageClasses) {
          reportUnused(storageClass, because);
          restsUntilMs.set(storageClass, performance.now() + restMs);
        }
        return undefined;
      });
    },
    async remove(key) {
      if (!known.has(key)) return;
      for (const { metadata } of (await listAll(`${copyKey}=${key}`)) ?? []) {
        const { name, namespace = '', uid } = metadata;
        await cluster.remove('VolumeSnapshot', name, { namespace, uid });
      }
      known.delete(key);
    },
    async keys() {
      if (performance.now() < nextLookMs) return [...known];
      const found = await listAll(copyKey);
      nextLookMs = performance.now() + lookEveryMs;
      for (const { metadata } of found ?? [])
        if (metadata.deletionTimestamp === undefined) known.add(metadata.labels?.[copyKey] ?? '');
      return [...known];
    },
  };
}

/** Statuses of a busy cluster. They say nothing about its storage. */
const passingStatuses = [429, 503, 504];

/** Returns the cluster's message for the operator. Throws temporary errors. */
function messageOf(error: unknown): string {
  if (error instanceof ClusterRefusal && passingStatuses.includes(error.status)) throw faultOf(error);
  if (error instanceof ClusterRefusal && error.status === 404) return 'the cluster has no VolumeSnapshots';
  if (error instanceof ClusterRefusal) return error.message;
  if (error instanceof EngineFault) return error.message;
  throw faultOf(error);
}
