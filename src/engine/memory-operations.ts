/** What the operations do to the in-memory engine's world. */
import type { EngineOperation, ResolvedImage } from '../deployment/operation.ts';
import type { Workload } from '../deployment/workload.ts';
import { EngineFault } from './engine.ts';
import { checkImage, isOnHost, pullImage } from './memory-images.ts';
import { filesAt, type MemoryContainer, type MemoryWorld, startContainer, volumeKey } from './memory-world.ts';

/** `isHalfway` stops a start between the creation of the container and its start, as a crash does. */
export function perform(
  world: MemoryWorld,
  owner: string,
  deploymentId: string,
  operation: EngineOperation,
  isHalfway: boolean,
  progress?: (done: number) => void,
): ResolvedImage[] {
  switch (operation.kind) {
    case 'check':
      return operation.images.map((request) => checkImage(world, request));
    case 'pull':
      return [pullImage(world, operation.image, operation.registryLogin, progress)];
    default:
      change(world, owner, deploymentId, operation, isHalfway);
      return [];
  }
}

function change(
  world: MemoryWorld,
  owner: string,
  deploymentId: string,
  operation: Exclude<EngineOperation, { kind: 'check' | 'pull' }>,
  isHalfway: boolean,
): void {
  switch (operation.kind) {
    case 'create-network':
      createNetwork(world, owner, deploymentId);
      return;
    case 'remove-network':
      if (world.networks.get(deploymentId)?.owner === owner) world.networks.delete(deploymentId);
      return;
    case 'create-volume':
      createVolume(world, owner, deploymentId, operation.volume);
      return;
    case 'remove-volume':
      if (world.volumes.get(volumeKey(deploymentId, operation.volume))?.owner === owner)
        world.volumes.delete(volumeKey(deploymentId, operation.volume));
      return;
    case 'start':
      start(world, owner, deploymentId, operation.workload, isHalfway);
      return;
    case 'remove': {
      if (findOurs(world, owner, operation.name)) world.containers.delete(operation.name);
      return;
    }
  }
}

function createNetwork(world: MemoryWorld, owner: string, deploymentId: string): void {
  const found = world.networks.get(deploymentId);
  if (found) {
    refuseForeign(found.owner, owner, `network ${deploymentId}`);
    return;
  }
  const number = world.networksMade++;
  world.networks.set(deploymentId, { owner, deploymentId, prefix: `10.200.${number % 256}` });
}

function createVolume(world: MemoryWorld, owner: string, deploymentId: string, volume: string): void {
  const key = volumeKey(deploymentId, volume);
  const found = world.volumes.get(key);
  if (found) {
    refuseForeign(found.owner, owner, `volume ${key}`);
    return;
  }
  world.volumes.set(key, { owner, deploymentId, volume, files: new Map() });
}

function start(world: MemoryWorld, owner: string, deploymentId: string, workload: Workload, isHalfway: boolean): void {
  const found = findOurs(world, owner, workload.name);
  if (found && found.phase !== 'created' && found.workload.fingerprint === workload.fingerprint) {
    if (found.phase === 'exited' && workload.readiness.kind !== 'exit') startContainer(world, found);
    return;
  }
  const network = world.networks.get(deploymentId);
  if (!network) throw new EngineFault('unavailable', 'The network of the deployment is missing.');
  if (!isOnHost(world, workload.image))
    throw new EngineFault('unavailable', `Image ${workload.image} is not on the host yet.`);
  world.containers.delete(workload.name);
  const container: MemoryContainer = {
    owner,
    deploymentId,
    workload,
    address: freeAddress(world, network.prefix),
    phase: 'created',
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
  startContainer(world, container);
}

function findOurs(world: MemoryWorld, owner: string, name: string): MemoryContainer | undefined {
  const found = world.containers.get(name);
  if (found) refuseForeign(found.owner, owner, `container ${name}`);
  return found;
}

function refuseForeign(actual: string, owner: string, subject: string): void {
  if (actual !== owner) throw new EngineFault('bad-request', `A ${subject} exists already, of another installation.`);
}

function freeAddress(world: MemoryWorld, prefix: string): string {
  const used = new Set([...world.containers.values()].map(({ address }) => address));
  for (let host = 2; host < 127; host++) if (!used.has(`${prefix}.${host}`)) return `${prefix}.${host}`;
  throw new EngineFault('unavailable', 'The network of the deployment has no address left.');
}
