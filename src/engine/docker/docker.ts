/** The engine port on Docker: its HTTP API (1.41 and newer) and nothing else. */
import type Docker from 'dockerode';
import type { EngineOperation } from '../../deployment/plan/operation.ts';
import { printEgress } from '../../deployment/workload/egress.ts';
import type { Observed, WorkloadName } from '../../deployment/workload/workload.ts';
import { ImageFault } from '../../images/image-fault.ts';
import type { Images } from '../../images/open.ts';
import type { Engine, EngineFacets } from '../engine.ts';
import { type LocalImages, setUpImages } from '../images/local-images.ts';
import { type Mark, waitForChange } from '../readiness/change.ts';
import { createRechecks, minPeriodMs as minProbePeriodMs } from '../readiness/recheck.ts';
import { createExec } from './containers/exec.ts';
import { createExecJournal } from './containers/exec-journal.ts';
import { createWorkloads } from './containers/workloads.ts';
import type { DiskRate } from './disk/disk-throttle.ts';
import { createDiskUse } from './disk/disk-use.ts';
import { createEvents } from './engine-events.ts';
import { createPing, faultOf } from './faults.ts';
import type { Firewall } from './firewall/firewall.ts';
import type { TenantsGroup } from './groups/tenants-group.ts';
import { createHostFacts, isLocal, readDisk } from './host/host-facts.ts';
import type { Runtime } from './host/runtime.ts';
import { exportImage, readImage } from './images/image-facts.ts';
import { listImages, removeImage } from './images/image-store.ts';
import { createPull } from './images/pull.ts';
import { createLogReader, followLogs } from './logs/container-logs.ts';
import { bridgeName } from './names.ts';
import { createNetworks } from './networks/networks.ts';
import { createObserver } from './observe.ts';
import { listOwned, removeOwned } from './owned.ts';
import { createUsageMeter } from './usage/usage-meter.ts';
import { createLoopVolumes } from './volumes/loop-volumes.ts';
import { createVolumeArchives } from './volumes/volume-archives.ts';
import { createVolumeCopies } from './volumes/volume-copies.ts';
import { createVolumes, listVolumes } from './volumes/volumes.ts';

export type DockerEngineOptions = {
  docker: Docker;
  /** The installation. Objects with another installation's label are never changed. */
  owner: string;
  /** The epoch of the store now; default: 0. */
  epoch?: () => number;
  /** CIDR, split into /25 networks, one per deployment. */
  networkPool: string;
  /**
   * The location of volumes with their own file systems, whether new volumes get one, and the location of copies.
   * Absent: volumes have no file systems of their own.
   */
  loops?: { directory: string; isForNew: boolean; copies?: string };
  /** The journal of running commands in containers. Absent: commands are not supported. */
  execs?: string;
  /** Without a firewall, containers reach everything that their machine reaches. */
  firewall?: Firewall | undefined;
  /** The limit of reads and writes per device. Default: unlimited. */
  diskRate?: DiskRate;
  /** The name servers of new containers. Default: those of the engine's machine. */
  resolvers?: string[] | undefined;
  /** The control group of all containers. Without it, containers are in the engine's. */
  group?: TenantsGroup;
  /** `runsc` is gVisor. The engine must have it configured. */
  runtime?: Runtime;
  /** The number of host GPUs that deployments may use, one per container. Default: none. */
  gpus?: number;
  /** Disk space that images must leave free on the engine's disk; default: 0. */
  diskFreeBytes?: number;
  /** Concurrent starts on the whole host. Measured on 2 cores: 6.5 per second with 2 to 4, fewer above. */
  startConcurrency?: number;
  /** Between SIGTERM and SIGKILL. */
  stopSeconds?: number;
  /** Brings images from registries. Without it, only images of the host exist. */
  images?: Images;
  /** Host images that all deployments may use. Default: those built by the set-up. */
  localImages?: LocalImages;
  /** Directories without a limit are walked at least this often; default: every 20 s. */
  walkEveryMs?: number;
  /** The shortest period of health checks after a workload was ready. Default: 10 s. */
  minPeriodMs?: number;
  /** Epoch milliseconds; may jump. */
  now?: () => number;
  /** Milliseconds since some instant; never jumps. */
  uptime?: () => number;
};

export type DockerEngine = Engine & Pick<EngineFacets, 'images' | 'disk' | 'freezer'>;

export function createDockerEngine(options: DockerEngineOptions): DockerEngine {
  const { docker, owner, networkPool, firewall, group, now = Date.now, uptime = () => performance.now() } = options;
  const { epoch = () => 0 } = options;
  const { runtime = 'runc', gpus = 0, startConcurrency = 3, stopSeconds = 10, walkEveryMs = 20_000 } = options;
  const { minPeriodMs = minProbePeriodMs, images = noRegistries, localImages = setUpImages } = options;
  const hostFacts = createHostFacts(docker, uptime);
  const networks = createNetworks(docker, { owner, epoch, pool: networkPool, firewall });
  const ownerOfData = async () => (await hostFacts()).containerRoot;
  const loops = options.loops && createLoopVolumes(options.loops.directory, ownerOfData);
  const volumes = createVolumes(docker, {
    owner,
    epoch,
    loops,
    isLoopForNew: options.loops?.isForNew ?? false,
    stopSeconds,
  });
  const copies =
    loops &&
    options.loops?.isForNew &&
    options.loops.copies !== undefined &&
    createVolumeCopies({
      volumes: options.loops.directory,
      loops,
      copies: options.loops.copies,
      sizes: async (id) => new Map(Object.entries(await volumes.hardSizes(id, await listVolumes(docker, owner, id)))),
    });
  const archives =
    loops &&
    createVolumeArchives(docker, {
      owner,
      loops,
      directory: options.loops!.directory,
      diskFreeBytes: options.diskFreeBytes ?? 0,
    });
  const workloads = createWorkloads(docker, {
    owner,
    epoch,
    runtime,
    stopSeconds,
    startConcurrency,
    hostFacts,
    loops,
    gpus,
    group,
    localImages,
    resolvers: options.resolvers,
    diskRate: isLocal(docker) ? options.diskRate : undefined,
  });
  const diskUse = createDiskUse(docker, { owner, loops, hostFacts, now: uptime, walkEveryMs });
  const roomBytes = async () => {
    const disk = await readDisk(docker, await hostFacts());
    return disk && disk.freeBytes - (options.diskFreeBytes ?? 0);
  };
  const pull = createPull({ docker, images, localImages, hostFacts, roomBytes });
  const ping = createPing(docker);
  const events = createEvents(docker, owner);
  const readLogs = createLogReader(docker, owner);
  const observer = createObserver(docker, { owner, volumes, localImages, minPeriodMs, now, uptime });
  const recheckWhile = createRechecks(observer.allKnown, events.notify);
  // Only root on the machine of the container can end a command. In gVisor, a command ends with its container alone.
  const mayEndExecs = isLocal(docker) && process.getuid?.() === 0;
  const exec =
    options.execs !== undefined && mayEndExecs
      ? createExec(docker, owner, createExecJournal(options.execs))
      : undefined;
  const startExec: EngineFacets['exec']['start'] | undefined =
    exec && ((...requested) => withFaults(() => exec.start(...requested)));
  const usage = isLocal(docker) ? createUsageMeter(docker, { owner, loops, events, uptime }) : undefined;
  const marks = new WeakMap<Observed, Mark>();
  const heldBack = new Map<string, readonly string[]>();

  async function perform(deploymentId: string, operation: EngineOperation): Promise<void> {
    switch (operation.kind) {
      case 'create-network':
        return networks.create(deploymentId, operation.egress ?? { kind: 'none' }, heldBack.get(deploymentId));
      case 'remove-network':
        return removeNetwork(deploymentId);
      case 'create-volume':
      case 'grow-volume':
        return volumes.create(deploymentId, operation.volume, operation.sizeBytes);
      case 'remove-volume':
        return volumes.remove(deploymentId, operation.volume);
      case 'start':
        return workloads.start(deploymentId, operation.workload, {
          avoid: heldBack.get(deploymentId),
          neighbours: firewall && operation.neighbours,
        });
      case 'stop':
        return workloads.stop(operation.name);
      case 'remove':
        return removeWorkload(operation.name);
    }
  }

  async function removeWorkload(name: WorkloadName): Promise<void> {
    const address = await workloads.remove(name);
    if (address !== undefined) await firewall?.forget(address);
  }

  async function removeNetwork(deploymentId: string): Promise<void> {
    await networks.remove(deploymentId);
    heldBack.delete(deploymentId);
  }

  /** A network unknown to the firewall has no egress. */
  function withRules(deploymentId: string, observed: Observed): Observed {
    if (!firewall || !observed.hasNetwork) return observed;
    const egress = firewall.egressOf(bridgeName(owner, deploymentId)) ?? { kind: 'none' };
    const podTargets = firewall.targetsOf(bridgeName(owner, deploymentId));
    return { ...observed, egress: printEgress(egress), podTargets };
  }

  return {
    separatesStreams: true,
    fillsVolumes: true,
    ping: () => withFaults(ping),

    observe: (deploymentId, images) =>
      withFaults(async () => {
        const mark = { event: events.mark(), atMs: now() };
        const observed = withRules(deploymentId, await observer.observe(deploymentId, images));
        marks.set(observed, mark);
        return observed;
      }),

    execute: (deploymentId, operation) => withFaults(() => perform(deploymentId, operation)),

    findImage: (image) =>
      withFaults(async () => {
        const facts = await readImage(docker, image, localImages);
        return facts && { reference: facts.pinned ?? image, isOperators: facts.pinned === undefined };
      }),

    change: (deploymentId, seen, timeoutMs, signal) => {
      const mark = marks.get(seen) ?? { event: events.mark(), atMs: now() };
      const known = observer.known(deploymentId);
      return waitForChange(events, { deploymentId, observed: seen, mark, known, timeoutMs, signal }, uptime);
    },

    watch: (onChange, signal) => {
      events.listen(onChange, signal);
      recheckWhile(signal);
    },
    logs: (name, wanted) => withFaults(() => readLogs(name, wanted)),
    followLogs: (name, wanted, signal) => followLogs(docker, owner, name, wanted, signal),
    capacity: () =>
      withFaults(async () => {
        const host = await hostFacts();
        const disk = await readDisk(docker, host, options.loops?.isForNew ? options.loops.directory : undefined);
        return { memoryBytes: host.memoryBytes, cpuMillis: host.cpus * 1000, ...(disk && { disk }) };
      }),
    listOwned: () => withFaults(() => listOwned(docker, owner, volumes)),
    removeOwned: (owned) =>
      withFaults(async () => {
        await removeOwned(docker, owner, volumes, owned);
        if (owned.kind === 'network') await firewall?.dismiss(bridgeName(owner, owned.deploymentId));
      }),

    images: {
      pull: (_, { image, registryLogin }, pulling) => withFaults(() => pull(image, registryLogin, pulling)),
      export: (image) => withFaults(() => exportImage(docker, image, localImages)),
      list: () => withFaults(() => listImages(docker)),
      remove: (image) => withFaults(() => removeImage(docker, image)),
    },
    freezer: {
      freeze: (_, name) => withFaults(() => workloads.freeze(name)),
      thaw: (_, name) => withFaults(() => workloads.thaw(name)),
    },
    disk: { use: () => withFaults(diskUse), mendVolumes: () => withFaults(volumes.mend) },
    ...(firewall && {
      isolation: { setEgress: (deploymentId, egress) => withFaults(() => networks.setEgress(deploymentId, egress)) },
      podAddresses: { set: (deploymentId, targets) => withFaults(() => networks.setTargets(deploymentId, targets)) },
    }),
    addresses: { holdBack: (deploymentId, addresses) => void heldBack.set(deploymentId, addresses) },
    ...(usage && { usage }),
    ...(copies && { copies }),
    ...(archives && {
      archives: { take: (...requested) => withFaults(() => archives.take(...requested)) },
    }),
    ...(startExec && { [runtime === 'runc' ? 'exec' : 'builderExec']: { start: startExec } }),
  };
}

/** Behaves as if no registry were reachable. */
const noRegistries: Images = {
  digestOf: async ({ image }) => refuseRequest(image),
  resolve: async ({ image }) => refuseRequest(image),
  offer: ({ context }) => refuseRequest(context.image),
};

function refuseRequest(image: string): never {
  throw new ImageFault('registry-unreachable', image, `No registry is queried for ${image}.`);
}

async function withFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}
