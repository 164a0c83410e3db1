/**
 * The facet `copies` on a cluster. Data is read and written as tars through pods with the claims, so that no key of the
 * snapshot location leaves this process. Volumes are copied with the cluster's VolumeSnapshots, or otherwise into
 * separate claims while their users are stopped, so that a slow location does not delay workloads. A mark on its claim
 * turns filled data into a volume.
 */

import { statfs } from 'node:fs/promises';
import { atNearest } from '../../lib/missing-files.ts';
import { EngineFault } from '../engine.ts';
import { labelKeys } from '../labels.ts';
import type { VolumeCopies } from '../volume-facets.ts';
import type { Cluster } from './cluster.ts';
import { type CopierParts, copyCommand, createCopiers, createTars, type Places, syncCommand } from './copiers.ts';
import type { Execute } from './execute.ts';
import { isFirstFill } from './initial-content.ts';
import { asideManifest, asideName } from './manifests/claim.ts';
import type { CopierMount } from './manifests/copier.ts';
import { copyKey, deploymentOf, madeForKey, ofCopy, placedMarks, readPlace } from './manifests/marks.ts';
import { namespaceName } from './names.ts';
import { claimsOfVolumes, type FoundClaim, isAtWork, mounts } from './objects.ts';
import type { PodAddress } from './pod-programs.ts';
import { bytesOf } from './quantities.ts';
import { createVolumeSnapshots, type VolumeSnapshotParts } from './volume-snapshots.ts';
import { createWriters } from './writers.ts';

export type CopiesParts = CopierParts & {
  cluster: Pick<Cluster, 'apply' | 'remove' | 'run' | 'change' | 'request' | 'find'>;
  snapshots?: Pick<VolumeSnapshotParts, 'snapshotClass' | 'onUnused'> | undefined;
  storageClass?: string | undefined;
  namespaces: Pick<Execute, 'provideNamespace' | 'leaveNamespace'>;
};

/** The longest time that writers are stopped, in addition to their own stop and start. */
const longestCopyMs = 5 * 60_000;
const finishMs = 5 * 60_000;
const goPatienceMs = 60_000;

export function createVolumeCopies(parts: CopiesParts): VolumeCopies {
  const { cluster, cache, owner, storageClass, namespaces } = parts;
  const copiers = createCopiers(parts);
  const writers = createWriters(cluster, cache);
  const snapshots = createVolumeSnapshots({ ...parts.snapshots, cluster, cache, copiers, owner });
  const filled = new Map<string, number>();
  const claimsOf = (deploymentId: string) => claimsOfVolumes(cache.list('PersistentVolumeClaim', deploymentId));
  const tars = createTars(copiers);

  function found(deploymentId: string, volumes: readonly string[]): { volume: string; claim: FoundClaim }[] {
    const claims = claimsOf(deploymentId);
    return volumes.map((volume) => {
      const claim = claims.get(volume);
      if (claim) return { volume, claim };
      throw new EngineFault('unavailable', `The volume ${volume} is not on the host.`);
    });
  }

  /**
   * Groups volumes by the node on which they are in use, because the disk may not be available on another node.
   * `undefined`: not in use.
   */
  function byNode(deploymentId: string, volumes: readonly string[]): Map<string | undefined, string[]> {
    const claims = claimsOf(deploymentId);
    const pods = cache.list('Pod', deploymentId).filter(isAtWork);
    return Map.groupBy(volumes, (volume) => {
      const names = new Set([claims.get(volume)?.metadata.name ?? '']);
      return pods.find((pod) => mounts(pod, names))?.spec?.nodeName;
    });
  }

  async function makeAside(
    part: 'copy' | 'made',
    { deploymentId, key }: { deploymentId: string; key: string },
    volumes: readonly { volume: string; sizeBytes: number }[],
  ): Promise<void> {
    await namespaces.provideNamespace(deploymentId);
    for (const { volume, sizeBytes } of volumes) {
      const claim = asideManifest({ owner, deploymentId, volume, sizeBytes, storageClass, key, part });
      await cache.untilVisible('PersistentVolumeClaim', await cluster.apply(claim));
    }
  }

  /** Throws EngineFault if the writers would be stopped for too long. */
  async function copyAll(
    programs: readonly { pod: PodAddress; command: readonly string[] }[],
    stop: AbortSignal | undefined,
  ): Promise<void> {
    const enough = AbortSignal.timeout(longestCopyMs);
    const signal = AbortSignal.any([enough, ...(stop ? [stop] : [])]);
    try {
      for (const { pod, command } of programs) await copiers.run(pod, command, signal);
    } catch (error) {
      throw enough.aborted && !stop?.aborted ? tooLong(error) : error;
    }
  }

  async function take(deploymentId: string, volumes: readonly string[], key: string, stop?: AbortSignal) {
    const sources = new Map(found(deploymentId, volumes).map(({ volume, claim }) => [volume, claim]));
    const taken = await snapshots.take({ deploymentId, key, sources, signal: stop });
    if (taken) return { ...(await tars.toRead(taken, stop)), pausedMs: 0, areApart: taken.size > 1 };
    const { places, pausedMs } = await copyStopped({ deploymentId, key, sources }, stop);
    return { ...(await tars.toRead(places, stop)), pausedMs };
  }

  /** Copies the volumes while the workloads that use them are stopped. */
  async function copyStopped(
    { deploymentId, key, sources }: { deploymentId: string; key: string; sources: ReadonlyMap<string, FoundClaim> },
    stop: AbortSignal | undefined,
  ): Promise<{ places: Places; pausedMs: number }> {
    const volumes = [...sources.keys()];
    const sized = [...sources].map(([volume, claim]) => ({ volume, sizeBytes: sizeOf(claim) }));
    await makeAside('copy', { deploymentId, key }, sized);
    // Unused claims may be on different nodes.
    const groups = [...byNode(deploymentId, volumes)].flatMap(([node, its]): { node?: string; volumes: string[] }[] =>
      node === undefined ? its.map((volume) => ({ volumes: [volume] })) : [{ node, volumes: its }],
    );
    const copying = await Promise.all(
      groups.map(async ({ node, volumes: its }, index) => {
        const both = its.flatMap((volume, at): CopierMount[] => [
          { claim: sources.get(volume)!.metadata.name, path: `/from/${at}`, readOnly: true },
          { claim: asideName('copy', key, volume), path: `/to/${at}`, readOnly: false },
        ]);
        const pod = await copiers.start({ deploymentId, key, part: `copy-${index}`, node, mounts: both, signal: stop });
        return its.map((_, at) => ({ pod, command: copyCommand(`/from/${at}`, `/to/${at}`) }));
      }),
    );
    const claims = new Set([...sources.values()].map(({ metadata }) => metadata.name));
    stop?.throwIfAborted();
    const pausedMs = await writers.without({ deploymentId, claims, key, signal: stop }, () =>
      copyAll(copying.flat(), stop),
    );
    await copiers.end(key);
    stop?.throwIfAborted();
    const places = new Map<string, { pod: PodAddress; path: string }>();
    for (const [index, { volumes: its }] of groups.entries()) {
      const mounted = its.map((volume, at) => ({
        claim: asideName('copy', key, volume),
        path: `/from/${at}`,
        readOnly: false,
      }));
      const pod = await copiers.start({ deploymentId, key, part: `read-${index}`, mounts: mounted, signal: stop });
      for (const [at, volume] of its.entries()) places.set(volume, { pod, path: `/from/${at}` });
    }
    return { places, pausedMs };
  }

  async function make(
    deploymentId: string,
    volumes: readonly { volume: string; sizeBytes: number }[],
    key: string,
    stop: AbortSignal | undefined,
  ): Promise<ReturnType<typeof tars.toFill>> {
    await makeAside('made', { deploymentId, key }, volumes);
    const places = new Map<string, { pod: PodAddress; path: string }>();
    const groups = byNode(
      deploymentId,
      volumes.map(({ volume }) => volume),
    );
    for (const [index, [node, its]] of [...groups].entries()) {
      const mounted = its.map((volume, at) => ({
        claim: asideName('made', key, volume),
        path: `/to/${at}`,
        readOnly: false,
      }));
      const part = `fill-${index}`;
      const pod = await copiers.start({ deploymentId, key, part, node, mounts: mounted, signal: stop });
      for (const [at, volume] of its.entries()) places.set(volume, { pod, path: `/to/${at}` });
    }
    return tars.toFill(places, (bytes) => void filled.set(key, (filled.get(key) ?? 0) + bytes));
  }

  /** Returns the claim created with the key, before or after the swap. */
  function madeClaim(deploymentId: string, volume: string, key: string): FoundClaim | undefined {
    return cache.list('PersistentVolumeClaim', deploymentId).find(({ metadata: { labels, annotations } }) => {
      const isBeside = labels?.[copyKey] === key && annotations?.[madeForKey] === volume;
      return isBeside || (annotations?.[labelKeys.volume] === volume && readPlace(annotations).cameBy === key);
    });
  }

  async function swap(deploymentId: string, volumes: readonly string[], key: string): Promise<boolean> {
    const made = volumes.map((volume) => madeClaim(deploymentId, volume, key));
    if (made.some((claim) => claim === undefined)) return false;
    const names = new Set(volumes.flatMap((volume) => claimsOf(deploymentId).get(volume)?.metadata.name ?? []));
    const users = cache.list('Pod', deploymentId).filter((pod) => isAtWork(pod) && mounts(pod, names));
    if (users.length > 0) throw new EngineFault('unavailable', 'The volumes are in use.');
    for (const [index, volume] of volumes.entries()) await place(deploymentId, volume, key, made[index]!);
    return true;
  }

  async function place(deploymentId: string, volume: string, key: string, made: FoundClaim): Promise<void> {
    const namespace = namespaceName(deploymentId);
    if (made.metadata.labels?.[copyKey] !== undefined) {
      const before = claimsOf(deploymentId).get(volume);
      const number = before ? readPlace(before.metadata.annotations).place + 1 : 1;
      const marks = { metadata: placedMarks(volume, key, number) };
      const placed = await cluster.change('PersistentVolumeClaim', { name: made.metadata.name, namespace }, marks);
      await cache.untilVisible('PersistentVolumeClaim', placed);
    }
    for (const { metadata } of cache.list('PersistentVolumeClaim', deploymentId))
      if (metadata.annotations?.[labelKeys.volume] === volume && metadata.uid !== made.metadata.uid)
        await cluster.remove('PersistentVolumeClaim', metadata.name, { namespace, uid: metadata.uid });
  }

  async function clear(key: string): Promise<void> {
    await writers.letGo(key);
    await copiers.end(key);
    await snapshots.remove(key);
    const claims = ofCopy(cache.list('PersistentVolumeClaim'), key);
    for (const { metadata } of claims)
      await cluster.remove('PersistentVolumeClaim', metadata.name, {
        namespace: metadata.namespace!,
        uid: metadata.uid,
      });
    for (const deploymentId of new Set(claims.map(deploymentOf))) {
      const isGone = () => ofCopy(cache.list('PersistentVolumeClaim', deploymentId), key).length === 0;
      await cache.until(deploymentId, isGone, goPatienceMs);
      await namespaces.leaveNamespace(deploymentId);
    }
    filled.delete(key);
  }

  return {
    sizes: async (deploymentId) => {
      await cache.untilCurrent();
      const present = [...claimsOf(deploymentId)].filter(
        ([, { metadata }]) => metadata.deletionTimestamp === undefined,
      );
      return new Map(present.map(([volume, claim]) => [volume, sizeOf(claim)]));
    },
    take,
    make: (deploymentId, volumes, key, becoming = deploymentId, stop) => make(becoming, volumes, key, stop),
    async finish(_, __, key, stop) {
      const signal = AbortSignal.any([AbortSignal.timeout(finishMs), ...(stop ? [stop] : [])]);
      for (const pod of copiers.pods(key)) await copiers.run(pod, syncCommand, signal);
      await copiers.end(key);
    },
    swap: (deploymentId, volumes, { key }) => swap(deploymentId, volumes, key),
    filledBytes: async (_, __, key) => filled.get(key) ?? 0,
    // The cluster does not report the free space of its storage.
    room: async (_, __, keptIn) => (keptIn === undefined ? Number.POSITIVE_INFINITY : await freeBytesAt(keptIn)),
    clear,
    async list() {
      cache.check();
      const kinds = ['Deployment', 'Job', 'Pod', 'PersistentVolumeClaim'] as const;
      const all = kinds.flatMap((kind) => cache.list(kind)).filter((found) => !isFirstFill(cache, found));
      const keys = all.flatMap(({ metadata }) => metadata.labels?.[copyKey] ?? []);
      return [...new Set([...keys, ...(await snapshots.keys())])];
    },
  };
}

function tooLong(cause: unknown): EngineFault {
  const message =
    `The volumes hold more than the cluster copies in ${longestCopyMs / 60_000} min, and the pods that write to them would be ` +
    'stopped for longer.';
  return new EngineFault('bad-request', message, { cause });
}

function sizeOf({ spec }: FoundClaim): number {
  return bytesOf(spec?.resources?.requests?.storage) ?? 0;
}

/** Returns the free space on the disk of a folder. */

/** Bytes for users other than root. The folder may not exist yet. */
async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await atNearest(folder, (path) => statfs(path));
  return bavail * bsize;
}
