/**
 * An engine in memory, tested with the same contract as the real ones. Time passes with observations, not with the
 * clock.
 */

import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { Observed, ObservedWorkload, WorkloadName } from '../../deployment/workload/workload.ts';
import { orAbort, wait as reallyWait, type Wait } from '../../lib/wait.ts';
import type { Addresses, Engine, FacetName, Freezer, HostDisk, ImageStore, Isolation, UsageMeter } from '../engine.ts';
import type { ArchivedVolumes, VolumeArchive, VolumeArchives } from '../volume-facets.ts';
import { type CopiesAs, createCopies } from './copies.ts';
import { volumeKey } from './deployment-map.ts';
import { createExec } from './exec.ts';
import { findImage, isLocal, isOnHost, listImages, pullImage, removeImage } from './images.ts';
import type { Interceptor } from './memory-call.ts';
import { freeze, perform, setEgress } from './operations.ts';
import { listOwned, removeOwned } from './owned.ts';
import { diskUse, volumeUses, workloadUses } from './usage.ts';
import { healthCheckBodyOf, reasonNotReady, recordStuck } from './why-not-ready.ts';
import { announce, createMemoryWorld, type MemoryContainer, type MemoryWorld, passRound } from './world.ts';
import { followLogs, readLogs } from './written-lines.ts';

export type MemoryEngineOptions = {
  /** Default: an empty world. Engines of several installations may share one. */
  world?: MemoryWorld;
  owner?: string;
  /** Returns the current epoch of the store. Default: 0. */
  epoch?: () => number;
  wait?: Wait;
  /** Epoch milliseconds; dates what is observed. */
  now?: () => number;
  /** Default: every call is performed at once. */
  intercept?: Interceptor;
  /** Default: all. Without `images`, a start fetches its image. Without `disk`, disk use is unknown. */
  facets?: ReadonlySet<FacetName>;
  /** Default: files. */
  copiesAs?: CopiesAs;
};

export const allFacets: ReadonlySet<FacetName> = new Set([
  'images',
  'disk',
  'freezer',
  'isolation',
  'addresses',
  'usage',
  'copies',
  'archives',
  'exec',
]);

export function createMemoryEngine({
  world = createMemoryWorld({}),
  owner = 'memory',
  epoch = () => 0,
  wait = reallyWait,
  now = Date.now,
  intercept = async (_, perform) => perform(),
  facets = allFacets,
  copiesAs,
}: MemoryEngineOptions = {}): Engine {
  const { watchers, versions } = world;
  const seenVersions = new WeakMap<Observed, number>();
  const avoided = new Map<string, readonly string[]>();

  const images: ImageStore = {
    async pull(deploymentId, request, { progress, signal } = {}) {
      if (!isOnHost(world, request.image)) await orAbort(world.registries.send(request.image), signal);
      const operation = { kind: 'pull', because: '', ...request } as const;
      // Images emit no event, as on Docker, because they do not belong to a deployment.
      return await intercept({ name: 'execute', deploymentId, operation }, () => pullImage(world, request, progress));
    },
    export: async () => undefined,
    list: () => intercept({ name: 'images.list' }, () => listImages(world)),
    remove: (image) => intercept({ name: 'images.remove' }, () => removeImage(world, image)),
  };

  const disk: HostDisk = {
    use: () => intercept({ name: 'disk.use' }, () => diskUse(world, owner)),
    mendVolumes: async () => [],
  };

  const isolation: Isolation = {
    setEgress(deploymentId, egress) {
      const operation = { kind: 'set-egress', egress, because: '' } as const;
      return intercept({ name: 'execute', deploymentId, operation }, () => {
        setEgress(world, owner, deploymentId, egress);
        announce(world, deploymentId);
      });
    },
  };

  const freezer: Freezer = {
    freeze: (deploymentId, name) => setFrozen(deploymentId, name, 'freeze'),
    thaw: (deploymentId, name) => setFrozen(deploymentId, name, 'thaw'),
  };

  function setFrozen(deploymentId: string, name: WorkloadName, kind: 'freeze' | 'thaw'): Promise<void> {
    const operation = { kind, name, because: '' } as const;
    return intercept({ name: 'execute', deploymentId, operation }, () => {
      if (freeze(world, owner, name, kind)) announce(world, deploymentId);
    });
  }

  const addresses: Addresses = {
    holdBack: (deploymentId, held) => void avoided.set(deploymentId, held),
  };

  const usage: UsageMeter = {
    workloads: () => intercept({ name: 'usage' }, () => workloadUses(world, owner, now())),
    volumes: () => intercept({ name: 'usage' }, () => volumeUses(world, owner)),
  };

  const archives: VolumeArchives = {
    async take(deploymentId, volumes) {
      const taking = () => ({ taken: archiveVolumes(world, owner, deploymentId, volumes) });
      return await (await intercept({ name: 'archives.take', deploymentId }, taking)).taken;
    },
  };

  return {
    separatesStreams: true,
    fillsVolumes: true,
    ping: () => intercept({ name: 'ping' }, () => {}),

    observe: (deploymentId, images) =>
      intercept({ name: 'observe', deploymentId }, () => {
        const observed = observe(world, { owner, now: now(), facets }, deploymentId, images);
        seenVersions.set(observed, versions.get(deploymentId) ?? 0);
        return observed;
      }),

    execute: (deploymentId, operation) =>
      intercept({ name: 'execute', deploymentId, operation }, (extent) => {
        const isHalfway = extent === 'halfway';
        const bringsImages = !facets.has('images');
        const avoid = avoided.get(deploymentId) ?? [];
        perform(world, owner, deploymentId, operation, { isHalfway, bringsImages, avoid, epoch: epoch(), now: now() });
        if (operation.kind === 'remove-network') avoided.delete(deploymentId);
        announce(world, deploymentId);
      }),

    findImage: async (image) => findImage(world, image),

    async change(deploymentId, seen, timeoutMs, signal) {
      const isOutdated = (seenVersions.get(seen) ?? 0) !== (versions.get(deploymentId) ?? 0);
      if (signal.aborted || isOutdated || mayChange(world, deploymentId)) return;
      const ended = new AbortController();
      const watcher = (id: string) => id === deploymentId && ended.abort();
      watchers.add(watcher);
      await wait(timeoutMs, AbortSignal.any([signal, ended.signal]));
      watchers.delete(watcher);
    },

    watch(onChange, signal) {
      if (signal.aborted) return;
      watchers.add(onChange);
      signal.addEventListener('abort', () => watchers.delete(onChange), { once: true });
    },

    logs: (name, wanted) => intercept({ name: 'logs' }, () => readLogs(world, owner, name, wanted)),
    followLogs: (name, wanted, signal) => followLogs(world, owner, name, wanted, signal),

    capacity: () =>
      intercept({ name: 'capacity' }, () => {
        const { disk, ...host } = world.capacity;
        return { ...host, ...(disk && facets.has('disk') && { disk }) };
      }),
    listOwned: () => intercept({ name: 'listOwned' }, () => listOwned(world, owner)),
    removeOwned: (owned) => intercept({ name: 'removeOwned' }, () => removeOwned(world, owner, owned)),

    ...(facets.has('images') && { images }),
    ...(facets.has('disk') && { disk }),
    ...(facets.has('freezer') && { freezer }),
    ...(facets.has('isolation') && { isolation }),
    ...(facets.has('addresses') && { addresses }),
    ...(facets.has('usage') && { usage }),
    ...(facets.has('copies') && { copies: createCopies(world, owner, intercept, copiesAs) }),
    ...(facets.has('archives') && { archives }),
    ...(facets.has('exec') && { exec: createExec(world, owner) }),
  };
}

function observe(
  world: MemoryWorld,
  { owner, now, facets }: { owner: string; now: number; facets: ReadonlySet<FacetName> },
  deploymentId: string,
  images: string[],
): Observed {
  const isOurs = (thing: { owner: string }) => thing.owner === owner;
  const containers = world.containers.of(deploymentId).filter(isOurs);
  for (const container of containers) {
    passRound(world, container, now);
    recordStuck(container, now);
  }
  const volumes = world.volumes.of(deploymentId).filter(isOurs);
  const network = world.networks.get(deploymentId);
  const hasNetwork = network?.owner === owner;
  return {
    hasNetwork,
    ...(hasNetwork && facets.has('isolation') && { egress: network.egress }),
    volumes: volumes.map(({ volume }) => volume).sort(),
    ...(volumes.length > 0 && {
      volumeSizes: Object.fromEntries(volumes.map(({ volume, sizeBytes }) => [volume, sizeBytes])),
    }),
    ...(facets.has('images') && {
      images: {
        present: images.filter((image) => isOnHost(world, image)),
        local: images.filter((image) => isLocal(world, image)),
      },
    }),
    workloads: containers.map(describe).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function describe(container: MemoryContainer): ObservedWorkload {
  const { workload, phase, tampering, address, restarts, exitCode, exitedAt = 0, stuck } = container;
  const because = reasonNotReady(container);
  return {
    name: workload.name,
    pod: workload.pod,
    revision: workload.revision,
    replica: workload.replica,
    fingerprint: workload.fingerprint,
    phase,
    isReady: because === undefined,
    restarts,
    ...(tampering && { tampering }),
    ...(phase === 'running' && tampering !== 'off-network' && address !== undefined && { address }),
    ...(exitCode !== undefined && {
      lastExit: { code: exitCode, reason: `exited with code ${exitCode}`, at: exitedAt },
    }),
    ...(because && { notReadyBecause: because }),
    ...(stuck?.by === 'health-check' && healthCheckBodyOf(container)),
    ...(stuck && { stuck }),
  };
}

/**
 * Returns whether the next observation will differ without an operation: a container is about to become ready or to
 * end.
 */
function mayChange(world: MemoryWorld, deploymentId: string): boolean {
  return world.containers
    .of(deploymentId)
    .some(
      ({ phase, run, rounds, readyAfter }) =>
        phase === 'running' && (run.exitCode !== undefined || rounds <= readyAfter),
    );
}

/** The facet `archives` of the in-memory engine: a tar of what is in volumes now. */
async function archiveVolumes(
  { volumes }: MemoryWorld,
  owner: string,
  deploymentId: string,
  wanted: readonly string[],
): Promise<ArchivedVolumes> {
  const archives: VolumeArchive[] = [];
  for (const volume of wanted) {
    const found = volumes.get(volumeKey(deploymentId, volume));
    if (found?.owner !== owner) continue;
    const content = await tarOf(found.files);
    const read = () => Readable.from([content], { objectMode: false });
    archives.push({ volume, below: '', sizeBytes: content.length, read });
  }
  return { pausedMs: 0, archives, [Symbol.asyncDispose]: async () => {} };
}

async function tarOf(files: ReadonlyMap<string, string>): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: './', type: 'directory' });
  for (const [path, content] of files) tar.entry({ name: `./${path}` }, content);
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Uint8Array>));
}
