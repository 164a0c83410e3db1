/** The in-memory engine for tests: it reports its operations, can be made to fail, and has accidents. */

import { pin } from '../../src/config/values/image-names.ts';
import type { CheckTags } from '../../src/control/visit/tag-check.ts';
import type { ImageRequest, ResolvedImage, TagCheck } from '../../src/deployment/plan/operation.ts';
import type { Tampering, WorkloadName } from '../../src/deployment/workload/workload.ts';
import { type Engine, EngineFault, type Owned } from '../../src/engine/engine.ts';
import { findImage, queryRegistry } from '../../src/engine/memory/images.ts';
import { createMemoryEngine, type MemoryEngineOptions } from '../../src/engine/memory/memory.ts';
import type { Interceptor } from '../../src/engine/memory/memory-call.ts';
import { type MemoryOperation, refuseInUse } from '../../src/engine/memory/operations.ts';
import {
  announce,
  createMemoryWorld,
  endContainer,
  type MemoryContainer,
  type MemoryWorld,
  removeNetwork,
} from '../../src/engine/memory/world.ts';
import { type Interruption, interruptions } from './interruptions.ts';

export type TestEngine = Engine & {
  /** Every operation that was executed to its end, in order. */
  readonly executed: { deploymentId: string; operation: MemoryOperation }[];
  interrupt(interruption: Interruption): void;
  /** Queries the registries of its world, which counts as an execution. */
  checkTags: CheckTags;
  /** A running workload ends by itself, with this code; the engine restarts it. */
  crash(name: WorkloadName, exitCode: number): void;
  /** Stops a workload behind our back; the engine leaves it stopped. */
  halt(name: WorkloadName): void;
  /** Changes a workload as another client of the engine would. */
  tamper(name: WorkloadName, tampering: Tampering): void;
  /** Removes a workload, an unused volume, or a network with everything on it, behind our back. */
  lose(owned: Pick<Owned, 'kind' | 'id'>): void;
};

export function createTestEngine(options: MemoryEngineOptions = {}): TestEngine {
  const { world = createMemoryWorld({}), now = Date.now } = options;
  const executed: TestEngine['executed'] = [];
  const awaited = interruptions();
  const { intercept: outer = awaited.intercept } = options;

  const intercept: Interceptor = (call, perform) =>
    outer(call, (extent) => {
      const found = perform(extent);
      const { name, deploymentId, operation } = call;
      if (name === 'execute' && extent !== 'halfway')
        executed.push({ deploymentId: deploymentId!, operation: operation! });
      return found;
    });

  return {
    ...createMemoryEngine({ ...options, world, intercept }),
    executed,
    interrupt: awaited.interrupt,
    checkTags: (deploymentId, requests) => {
      const operation: TagCheck = { kind: 'check', images: [...requests], because: '' };
      return intercept({ name: 'execute', deploymentId, operation }, () =>
        requests.map((request) => checkTag(world, request)),
      );
    },

    crash(name, exitCode) {
      const container = findRunning(world, name);
      endContainer(world, container, { exitCode, now: now() });
      announce(world, container.deploymentId);
    },

    halt(name) {
      const container = findRunning(world, name);
      container.phase = 'exited';
      if (container.tampering === 'paused') delete container.tampering;
      announce(world, container.deploymentId);
    },

    tamper(name, tampering) {
      const container = findRunning(world, name);
      container.tampering = tampering;
      announce(world, container.deploymentId);
    },

    lose({ kind, id }) {
      const { containers, volumes, networks } = world;
      const objects = { workload: containers, volume: volumes, network: networks, group: new Map<string, never>() };
      const found = objects[kind].get(id);
      if (!found) return;
      if (kind === 'volume') refuseInUse(world, id);
      if (kind === 'network') removeNetwork(world, id);
      else objects[kind].delete(id);
      announce(world, found.deploymentId);
    },
  };
}

function checkTag(world: MemoryWorld, { image, registryLogin }: ImageRequest): ResolvedImage {
  try {
    const { digest } = queryRegistry(world, image, registryLogin);
    return { image, reference: digest === undefined ? image : pin(image, digest), by: 'registry' };
  } catch (error) {
    const found = findImage(world, image);
    const isAway = error instanceof EngineFault && error.kind === 'registry-unreachable';
    if (!isAway || !found) throw error;
    return { image, reference: found.reference, by: 'presence' };
  }
}

function findRunning(world: MemoryWorld, name: WorkloadName): MemoryContainer {
  const container = world.containers.get(name);
  if (container?.phase !== 'running') throw new Error(`${name} is not running`);
  return container;
}
