/** Executes operations on the in-memory engine's world. */

import type { EgressChange, EngineOperation, Freezing, ImagePull, TagCheck } from '../../deployment/plan/operation.ts';
import { type Egress, printEgress } from '../../deployment/workload/egress.ts';
import type { Workload, WorkloadName } from '../../deployment/workload/workload.ts';
import { EngineFault } from '../engine.ts';
import { filesAt } from './container-process.ts';
import { volumeKey } from './deployment-map.ts';
import { isOnHost, pullImage } from './images.ts';
import {
  addNetwork,
  freeAddress,
  type MemoryContainer,
  type MemoryWorld,
  removeNetwork,
  startContainer,
} from './world.ts';

/** Operations of the engine's core and facets, and requests to the registries behind it. */
export type MemoryOperation =
  | Pick<Freezing, 'kind' | 'name' | 'because'>
  | EngineOperation
  | ImagePull
  | EgressChange
  | TagCheck;

/**
 * `isHalfway` stops a start between the creation of the container and its start, like a crash. `bringsImages`: a start
 * also pulls the image, without waiting for a slow registry. `avoid`: addresses that must not be assigned.
 */
export type Performance = {
  isHalfway: boolean;
  bringsImages: boolean;
  avoid: readonly string[];
  epoch: number;
  now: number;
};

export function perform(
  world: MemoryWorld,
  owner: string,
  deploymentId: string,
  operation: EngineOperation,
  performance: Performance,
): void {
  switch (operation.kind) {
    case 'create-network':
      createNetwork(world, owner, deploymentId, operation.egress, performance);
      return;
    case 'remove-network':
      if (world.networks.get(deploymentId)?.owner === owner) removeNetwork(world, deploymentId);
      return;
    case 'create-volume':
    case 'grow-volume':
      createVolume(world, owner, deploymentId, operation, performance.epoch);
      return;
    case 'remove-volume':
      removeVolume(world, owner, volumeKey(deploymentId, operation.volume));
      return;
    case 'start':
      start(world, owner, deploymentId, operation, performance);
      return;
    case 'stop': {
      const container = findOurs(world, owner, operation.name);
      if (container?.phase === 'running') container.phase = 'exited';
      return;
    }
    case 'remove': {
      if (findOurs(world, owner, operation.name)) world.containers.delete(operation.name);
      return;
    }
  }
}

/** Returns whether the workload has changed. */
export function freeze(world: MemoryWorld, owner: string, name: WorkloadName, kind: Freezing['kind']): boolean {
  const container = findOurs(world, owner, name);
  if (container?.phase !== 'running' || (container.tampering === 'paused') === (kind === 'freeze')) return false;
  if (kind === 'freeze') container.tampering = 'paused';
  else delete container.tampering;
  return true;
}

function createNetwork(
  world: MemoryWorld,
  owner: string,
  deploymentId: string,
  egress: Egress = { kind: 'none' },
  { avoid, epoch }: Performance,
): void {
  const found = world.networks.get(deploymentId);
  if (found) refuseForeign(found.owner, owner, `network ${deploymentId}`);
  else addNetwork(world, { owner, deploymentId, epoch }, printEgress(egress), avoid);
}

export function setEgress(world: MemoryWorld, owner: string, deploymentId: string, egress: Egress): void {
  const found = world.networks.get(deploymentId);
  if (!found) throw new EngineFault('unavailable', 'The network of the deployment is missing.');
  refuseForeign(found.owner, owner, `network ${deploymentId}`);
  found.egress = printEgress(egress);
}

function createVolume(
  world: MemoryWorld,
  owner: string,
  deploymentId: string,
  { volume, sizeBytes }: { volume: string; sizeBytes: number },
  epoch: number,
): void {
  const key = volumeKey(deploymentId, volume);
  const found = world.volumes.get(key);
  if (found) {
    refuseForeign(found.owner, owner, `volume ${key}`);
    found.sizeBytes = Math.max(found.sizeBytes, sizeBytes);
    return;
  }
  world.volumes.set(key, { owner, deploymentId, epoch, volume, sizeBytes, files: new Map() });
}

function removeVolume(world: MemoryWorld, owner: string, key: string): void {
  if (world.volumes.get(key)?.owner !== owner) return;
  refuseInUse(world, key);
  world.volumes.delete(key);
}

/** Throws when a container has the volume, running or not. */
export function refuseInUse({ containers, volumes }: MemoryWorld, key: string): void {
  const { deploymentId, volume } = volumes.get(key)!;
  for (const { workload } of containers.of(deploymentId)) {
    if (workload.volumes.some((mount) => mount.volume === volume))
      throw new EngineFault('unavailable', `The volume ${key} is in use.`);
  }
}

function start(
  world: MemoryWorld,
  owner: string,
  deploymentId: string,
  { workload }: { workload: Workload },
  { isHalfway, bringsImages, avoid, epoch, now }: Performance,
): void {
  const found = findOurs(world, owner, workload.name);
  if (found && found.phase !== 'created' && found.workload.fingerprint === workload.fingerprint) {
    delete found.tampering;
    if (found.phase !== 'exited' || workload.readiness.kind === 'exit') return;
    if (found.address === undefined) throw new EngineFault('unavailable', `The network of ${workload.name} is gone.`);
    startContainer(world, found, now);
    return;
  }
  if (!world.networks.has(deploymentId))
    throw new EngineFault('unavailable', 'The network of the deployment is missing.');
  if (bringsImages) pullImage(world, workload);
  else if (!isOnHost(world, workload.image))
    throw new EngineFault('unavailable', `Image ${workload.image} is not on the host yet.`);
  world.containers.delete(workload.name);
  const address = freeAddress(world, deploymentId, avoid);
  if (!address) throw new EngineFault('unavailable', 'The network of the deployment has no address left.');
  const container: MemoryContainer = {
    owner,
    deploymentId,
    epoch,
    workload,
    address,
    phase: 'created',
    number: ++world.containersMade,
    written: [],
    starts: 0,
    files: new Map(),
    run: {},
    rounds: 0,
    readyAfter: 0,
    restarts: 0,
  };
  world.containers.set(workload.name, container);
  if (isHalfway) return;
  for (const { path, content } of workload.files) {
    const place = filesAt(world, container, path);
    place.files.set(place.path, content);
  }
  startContainer(world, container, now);
}

function findOurs(world: MemoryWorld, owner: string, name: string): MemoryContainer | undefined {
  const found = world.containers.get(name);
  if (found) refuseForeign(found.owner, owner, `container ${name}`);
  return found;
}

function refuseForeign(actual: string, owner: string, subject: string): void {
  if (actual !== owner) throw new EngineFault('bad-request', `A ${subject} exists already, of another installation.`);
}
