/**
 * An engine in memory, held to the same contract as the real ones. Time passes by observations, not by the clock, and
 * it can be told to fail at any operation, before, in the middle of or after it.
 */
import type { EngineOperation } from '../deployment/operation.ts';
import type { Observed, ObservedWorkload, WorkloadName } from '../deployment/workload.ts';
import { wait as reallyWait, type Wait } from '../lib/wait.ts';
import type { Engine, Owned } from './engine.ts';
import { isLocal, isOnHost, listImages, removeImage } from './memory-images.ts';
import { perform } from './memory-operations.ts';
import {
  createMemoryWorld,
  endContainer,
  type MemoryContainer,
  type MemoryWorld,
  passRound,
  reasonNotReady,
} from './memory-world.ts';

export type MemoryEngineOptions = {
  /** Default: an empty one. Engines of several installations may share one. */
  world?: MemoryWorld;
  owner?: string;
  wait?: Wait;
};

/** Where to fail: at the `operation`-th execution from now on (1 is the next) of that kind, or of any. Happens once. */
export type Interruption = {
  operation: number;
  kind?: EngineOperation['kind'];
  /** `halfway` leaves a container that was created and never started; for other operations it is `before`. */
  when: 'before' | 'halfway' | 'after';
  /** Default: an Error, as when the process dies. */
  error?: Error;
};

export type MemoryEngine = Engine & {
  /** Every operation that was executed to its end, in order. */
  readonly executed: { deploymentId: string; operation: EngineOperation }[];
  interrupt(interruption: Interruption): void;
  /** A running workload ends by itself, with this code; the engine restarts it. */
  crash(name: WorkloadName, exitCode: number): void;
  /** Somebody stops a workload behind our back; the engine leaves it like that. */
  halt(name: WorkloadName): void;
};

export function createMemoryEngine({
  world = createMemoryWorld({}),
  owner = 'memory',
  wait = reallyWait,
}: MemoryEngineOptions = {}): MemoryEngine {
  const executed: MemoryEngine['executed'] = [];
  const interruptions: Interruption[] = [];
  const watchers = new Set<(deploymentId: string) => void>();
  const versions = new Map<string, number>();
  const seenVersions = new WeakMap<Observed, number>();

  function announce(deploymentId: string): void {
    versions.set(deploymentId, (versions.get(deploymentId) ?? 0) + 1);
    for (const watcher of [...watchers]) watcher(deploymentId);
  }

  /** Counts down the interruptions, and answers the one whose turn it is. */
  function nextInterruption(operation: EngineOperation): Interruption | undefined {
    const concerned = interruptions.filter(({ kind }) => kind === undefined || kind === operation.kind);
    for (const interruption of concerned) interruption.operation--;
    const due = concerned.find((interruption) => interruption.operation <= 0);
    if (due) interruptions.splice(interruptions.indexOf(due), 1);
    return due;
  }

  return {
    executed,
    interrupt: (interruption) => interruptions.push({ ...interruption }),

    crash(name, exitCode) {
      const container = findRunning(world, name);
      endContainer(world, container, exitCode);
      announce(container.deploymentId);
    },

    halt(name) {
      const container = findRunning(world, name);
      container.phase = 'exited';
      announce(container.deploymentId);
    },

    async observe(deploymentId, images) {
      const observed = observe(world, owner, deploymentId, images);
      seenVersions.set(observed, versions.get(deploymentId) ?? 0);
      return observed;
    },

    async execute(deploymentId, operation, progress) {
      const interruption = nextInterruption(operation);
      const failure = interruption?.error ?? new Error(`interrupted ${interruption?.when} ${operation.kind}`);
      const isStart = operation.kind === 'start';
      if (interruption?.when === 'before' || (interruption?.when === 'halfway' && !isStart)) throw failure;
      const found = perform(world, owner, deploymentId, operation, interruption?.when === 'halfway', progress);
      announce(deploymentId);
      if (interruption?.when === 'halfway') throw failure;
      executed.push({ deploymentId, operation });
      if (interruption) throw failure;
      return found;
    },

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

    async logs(name, { tail }) {
      const container = world.containers.get(name);
      if (container?.owner !== owner || tail <= 0) return [];
      return (container.run.output ?? []).slice(-tail).map((text) => ({ at: 0, text }));
    },

    async *followLogs(name, _since, signal) {
      if (signal.aborted) return;
      const container = world.containers.get(name);
      if (container?.owner === owner) yield* (container.run.output ?? []).map((text) => ({ at: 0, text }));
    },

    capacity: async () => world.capacity,

    listOwned: async () => listOwned(world, owner),

    async removeOwned(owned) {
      if (!listOwned(world, owner).some(({ kind, id }) => kind === owned.kind && id === owned.id)) return;
      const objects = { workload: world.containers, volume: world.volumes, network: world.networks }[owned.kind];
      objects.delete(owned.id);
      announce(owned.deploymentId);
    },

    listImages: async () => listImages(world),
    removeImage: async (image) => removeImage(world, image),
  };
}

function observe(world: MemoryWorld, owner: string, deploymentId: string, images: string[]): Observed {
  const isOurs = (thing: { owner: string; deploymentId: string }) =>
    thing.owner === owner && thing.deploymentId === deploymentId;
  const containers = [...world.containers.values()].filter(isOurs);
  for (const container of containers) passRound(world, container);
  return {
    hasNetwork: [...world.networks.values()].some(isOurs),
    volumes: [...world.volumes.values()]
      .filter(isOurs)
      .map(({ volume }) => volume)
      .sort(),
    images: images.filter((image) => isOnHost(world, image)),
    localImages: images.filter((image) => isLocal(world, image)),
    workloads: containers.map(describe).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function describe(container: MemoryContainer): ObservedWorkload {
  const { workload, phase, address, restarts, exitCode } = container;
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
    ...(phase === 'running' && { address }),
    ...(exitCode !== undefined && { exitCode }),
    ...(because && { notReadyBecause: because }),
  };
}

/** Whether the next observation sees something new by itself: somebody on the way to ready, or to an end. */
function mayChange(world: MemoryWorld, deploymentId: string): boolean {
  return [...world.containers.values()].some(
    ({ deploymentId: id, phase, run, rounds, readyAfter }) =>
      id === deploymentId && phase === 'running' && (run.exitCode !== undefined || rounds <= readyAfter),
  );
}

function findRunning(world: MemoryWorld, name: WorkloadName): MemoryContainer {
  const container = world.containers.get(name);
  if (container?.phase !== 'running') throw new Error(`${name} is not running`);
  return container;
}

function listOwned(world: MemoryWorld, owner: string): Owned[] {
  return (
    [
      ['workload', world.containers],
      ['volume', world.volumes],
      ['network', world.networks],
    ] as const
  ).flatMap(([kind, objects]) =>
    [...objects].flatMap(([id, object]) =>
      object.owner === owner ? [{ kind, id, name: id, deploymentId: object.deploymentId }] : [],
    ),
  );
}
