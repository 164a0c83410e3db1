/** Starting and removing the container of a workload. */
import type Docker from 'dockerode';
import type { Neighbour, Workload, WorkloadName } from '../../../deployment/workload/workload.ts';
import { createSemaphore, serializeByKey } from '../../../lib/concurrency.ts';
import { EngineFault } from '../../engine.ts';
import type { LocalImages } from '../../images/local-images.ts';
import { isOwnedBy, labelKeys, labelSelector, readWorkloadLabels } from '../../labels.ts';
import { type DiskRate, devicesOf } from '../disk/disk-throttle.ts';
import { faultOf, orAbsent, textOf, unless } from '../faults.ts';
import type { TenantsGroup } from '../groups/tenants-group.ts';
import type { HostFacts } from '../host/host-facts.ts';
import { checkArchitecture, checkLabels, checkVolumes, readImage } from '../images/image-facts.ts';
import { readNetwork } from '../networks/networks.ts';
import { builderAddress, lowestFreeAddress } from '../networks/subnets.ts';
import type { LoopVolumes } from '../volumes/loop-volumes.ts';
import { type ContainerRequest, containerOptions } from './container.ts';
import { putFiles } from './files.ts';
import { gpuFor } from './gpus.ts';
import { hostsOf } from './hosts.ts';
import { mountPaths, nestedVolumes } from './mounts.ts';
import { removeContainer, stopContainer } from './removal.ts';
import { tamperingOf, undoTampering } from './tampering.ts';

export type Workloads = {
  /** Afterwards the container exists, complete with its files, and was started. */
  start(deploymentId: string, workload: Workload, surroundings?: Surroundings): Promise<void>;
  /** Returns the address that it had, if it was there. */
  remove(name: WorkloadName): Promise<string | undefined>;
  /** Stops the container. The engine does not start it again. */
  stop(name: WorkloadName): Promise<void>;
  freeze(name: WorkloadName): Promise<void>;
  thaw(name: WorkloadName): Promise<void>;
};

/** Options of a new container that its workload does not define. */
export type Surroundings = {
  /** Addresses that it must not have. */
  avoid?: readonly string[] | undefined;
  /** All workloads of the revision. Their names resolve to pod addresses. Absent: the engine's DNS resolves names. */
  neighbours?: readonly Neighbour[] | undefined;
};

export type WorkloadOptions = Pick<ContainerRequest, 'owner' | 'runtime' | 'resolvers' | 'stopSeconds'> & {
  epoch: () => number;
  /** Starts at once on the whole host. */
  startConcurrency: number;
  hostFacts: () => Promise<HostFacts>;
  /** The location of volumes with their own file system. */
  loops: LoopVolumes | undefined;
  /** How fast a container may read and write on each device of this machine. */
  diskRate: DiskRate | undefined;
  /** The control group of all containers; absent where the engine keeps them. */
  group: TenantsGroup | undefined;
  /** The number of host GPUs that deployments may use. */
  gpus: number;
  localImages: LocalImages;
};

export function createWorkloads(docker: Docker, options: WorkloadOptions): Workloads {
  const startGate = createSemaphore(options.startConcurrency);
  /** One lock for all deployments, because each start must see the GPUs that the previous one took. */
  const gpuGate = createSemaphore(1);
  const inTurn = serializeByKey();

  /** One creation at a time per deployment, because each must see the address that the previous one took. */
  function create(deploymentId: string, workload: Workload, surroundings: Surroundings): Promise<Docker.Container> {
    const make = () => createContainer(docker, options, deploymentId, { workload, ...surroundings });
    return inTurn(deploymentId, () => (workload.useGPU ? gpuGate(make) : make()));
  }

  return {
    async start(deploymentId, workload, surroundings = {}) {
      const found = await findOurs(docker, options.owner, workload.name);
      await mountLoops(options.loops, deploymentId, workload);
      if (found && isComplete(found, workload)) {
        if (tamperingOf(found, deploymentId)) await undoTampering(docker, found, deploymentId, workload);
        if (await startAgain(docker, found, workload, startGate)) return;
      }
      if (found) await removeContainer(docker, found.Id);
      try {
        const container = await create(deploymentId, workload, surroundings);
        await putFiles(container, workload);
        await startGate(() => startContainer(container, workload));
      } catch (error) {
        throw faultOf(error, workload.pod);
      }
    },

    async remove(name) {
      const found = await findOurs(docker, options.owner, name);
      if (!found) return undefined;
      await stopContainer(docker, found, options.stopSeconds);
      await removeContainer(docker, found.Id);
      return found.Config.Labels[labelKeys.address];
    },

    async stop(name) {
      const found = await findOurs(docker, options.owner, name);
      if (found) await stopContainer(docker, found, options.stopSeconds);
    },

    async freeze(name) {
      const found = await findOurs(docker, options.owner, name);
      // 409, 500: it has ended, or is paused already.
      if (found?.State.Running) await unless(docker.getContainer(found.Id).pause(), 304, 404, 409, 500);
    },

    async thaw(name) {
      const found = await findOurs(docker, options.owner, name);
      if (found?.State.Paused) await unless(docker.getContainer(found.Id).unpause(), 304, 404, 409, 500);
    },
  };
}

/** The container of that name, if it exists. Throws if it belongs to another installation. */
async function findOurs(docker: Docker, owner: string, name: string): Promise<Docker.ContainerInspectInfo | undefined> {
  const found = await orAbsent(docker.getContainer(name).inspect());
  if (!found || isOwnedBy(owner, found.Config.Labels)) return found;
  throw new EngineFault(
    'bad-request',
    `A container named ${name} already exists and does not belong to this installation.`,
  );
}

/**
 * After a crash, a created container that never started may lack its files. A dead container cannot start, and a
 * container with another fingerprint is a different workload.
 */
function isComplete(found: Docker.ContainerInspectInfo, workload: Workload): boolean {
  if (['created', 'removing', 'dead'].includes(found.State.Status)) return false;
  return found.Config.Labels[labelKeys.fingerprint] === workload.fingerprint;
}

/** Starts a stopped service. An ended job stays as it is. Returns false if the container cannot be started again. */
async function startAgain(
  docker: Docker,
  found: Docker.ContainerInspectInfo,
  workload: Workload,
  startGate: ReturnType<typeof createSemaphore>,
): Promise<boolean> {
  const { Running, Restarting } = found.State;
  if (Running || Restarting || workload.readiness.kind === 'exit') return true;
  try {
    await startGate(() => startContainer(docker.getContainer(found.Id), workload));
    return true;
  } catch (error) {
    if (error instanceof EngineFault && leftOver.test(textOf(error.cause))) return false;
    throw error;
  }
}

/**
 * An engine that ends during a start may leave a task or an endpoint of the container. Docker 20.10 then refuses every
 * further start: "task … already exists", "endpoint with name … already exists in network …".
 */
const leftOver = /already exists/;

async function createContainer(
  docker: Docker,
  options: WorkloadOptions,
  deploymentId: string,
  { workload, avoid = [], neighbours }: { workload: Workload } & Surroundings,
): Promise<Docker.Container> {
  const { owner, runtime, resolvers, stopSeconds, hostFacts, loops, gpus, diskRate, group, localImages } = options;
  const [host, image, network, promised] = await Promise.all([
    hostFacts(),
    readImage(docker, workload.image, localImages),
    readNetwork(docker, deploymentId),
    addressesOf(docker, owner, deploymentId),
  ]);
  if (!network) throw new EngineFault('unavailable', 'The network of the deployment is missing.');
  if (!image) throw new EngineFault('unavailable', `Image ${workload.image} is not on the host yet.`);
  checkArchitecture(workload.image, image, host.architecture);
  checkLabels(workload.image, image);
  checkVolumes(workload.image, image);
  const taken = [...network.addresses, ...promised, ...avoid];
  const address = workload.buildsImages ? builderAddress(network.subnet) : lowestFreeAddress(network.subnet, taken);
  if (!address) throw new EngineFault('unavailable', 'The network of the deployment has no address left.');
  const boundTo = await loopDirectories(loops, deploymentId, workload, image.volumes);
  const gpu = workload.useGPU ? await takeGpu(docker, { owner, gpus }, deploymentId, workload) : undefined;
  const throttle = diskRate && { rate: diskRate, devices: await devicesFor(loops, deploymentId, workload, host) };
  await group?.ensure();
  const request = {
    owner,
    epoch: options.epoch(),
    deploymentId,
    workload,
    address,
    image,
    host,
    runtime: workload.runtime ?? runtime,
    boundTo,
    group,
    throttle,
    resolvers,
    stopSeconds,
    ...(gpu !== undefined && { gpu }),
    ...(neighbours && { hosts: hostsOf(workload, neighbours, address) }),
  };
  return docker.createContainer(inBody(containerOptions(request)));
}

/**
 * The client also puts all options into the URL by default. URLs appear in logs of engines and proxies, and some limit
 * them to 16 KiB.
 */
function inBody({ name, ...body }: Docker.ContainerCreateOptions): Docker.ContainerCreateOptions {
  return { _query: { name }, _body: body } as Docker.ContainerCreateOptions;
}

/** A container that does not run has its GPU too: it may start at any time. */
async function takeGpu(
  docker: Docker,
  { owner, gpus }: Pick<WorkloadOptions, 'owner' | 'gpus'>,
  deploymentId: string,
  { pod, replica }: Workload,
): Promise<number> {
  const filters = { label: [...labelSelector(owner), labelKeys.gpu] };
  const held = (await docker.listContainers({ all: true, filters })).flatMap(({ Labels }) => {
    const labels = readWorkloadLabels(Labels);
    // A label of the image with that name also exists, without a value. Its container has no GPU.
    const gpu = Labels[labelKeys.gpu];
    return labels && gpu ? [{ ...labels, gpu: Number(gpu) }] : [];
  });
  const gpu = gpuFor({ deploymentId, pod, replica }, held, gpus);
  if (gpu !== undefined) return gpu;
  const words = gpus === 0 ? 'it requests a GPU, but this server has none for applications.' : 'no GPU is free for it.';
  const hint = 'leave out useGPU (Compose: its gpus or devices), or deploy it to a host that has one';
  throw new EngineFault(gpus === 0 ? 'bad-request' : 'unavailable', words, { hint, pods: [pod] });
}

/** After a reboot of the host, the volumes are not mounted. */
async function mountLoops(loops: LoopVolumes | undefined, deploymentId: string, { volumes }: Workload): Promise<void> {
  for (const { volume } of volumes) {
    if (await loops?.has({ deploymentId, volume })) await loops?.ensure({ deploymentId, volume });
  }
}

/**
 * Returns the directories, by path, of volumes with their own file system, and of volumes that the image declares below
 * them.
 */
async function loopDirectories(
  loops: LoopVolumes | undefined,
  deploymentId: string,
  { volumes }: Workload,
  imageVolumes: string[],
): Promise<Map<string, string>> {
  const directories = new Map<string, string>();
  for (const { volume, path } of mountPaths(volumes)) {
    const which = { deploymentId, volume };
    if (await loops?.has(which)) directories.set(path, loops!.dataOf(which));
  }
  for (const { volume, path, slug } of nestedVolumes(volumes, imageVolumes)) {
    const which = { deploymentId, volume };
    if (loops && (await loops.has(which))) directories.set(path, await loops.ensureNested(which, slug));
  }
  return directories;
}

/** Returns the devices of the container's layer, and of its volumes with their own file system. */
async function devicesFor(
  loops: LoopVolumes | undefined,
  deploymentId: string,
  { volumes }: Workload,
  { rootDirectory }: HostFacts,
): Promise<string[]> {
  const data = volumes.flatMap(({ volume }) => loops?.dataOf({ deploymentId, volume }) ?? []);
  return await devicesOf([rootDirectory, ...data]);
}

/**
 * Returns the addresses of the deployment's containers, including stopped ones, which get theirs back at the next
 * start.
 */
async function addressesOf(docker: Docker, owner: string, deploymentId: string): Promise<string[]> {
  const filters = { label: labelSelector(owner, deploymentId) };
  const containers = await docker.listContainers({ all: true, filters });
  return containers.flatMap(({ Labels }) => Labels[labelKeys.address] ?? []);
}

async function startContainer(container: Docker.Container, workload: Workload): Promise<void> {
  try {
    await unless(container.start(), 304); // 304: it runs already.
  } catch (error) {
    const reason = commandFault.exec(textOf(error));
    if (!reason) throw faultOf(error, workload.pod);
    const words = `its command cannot be run: ${reason[1] ?? reason[0]}.`;
    const advice = { hint: 'check its command and entrypoint', pods: [workload.pod] };
    throw new EngineFault('bad-request', words, { cause: error, ...advice });
  }
}

/** Messages of the container runtime, such as `exec: "serve": executable file not found in $PATH`. */
const commandFault = /exec: (".*?": [^:]+)|exec format error|mkdir \S+: not a directory/i;
