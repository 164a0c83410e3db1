/** The machine behind the in-memory engine: images that are functions, containers, volumes, networks. */
import type { Capacity } from '../../deployment/limits/host-budget.ts';
import type { Stuck, Tampering, Workload } from '../../deployment/workload/workload.ts';
import type { OutputStream } from '../engine.ts';
import { processOf } from './container-process.ts';
import type { CopiedVolumes } from './copies.ts';
import { DeploymentMap } from './deployment-map.ts';
import { imageOf } from './images.ts';

/** By default, an image listens on the ports of its workload and responds with 200, and a job exits with 0. */
export type MemoryImage = {
  /** Default true: as if it was pulled before. */
  isOnHost?: boolean;
  /** The current digest of its tag in the registry. Without one, the image is in no registry. */
  digest?: string;
  /** Earlier digests. The registry still serves them, and the host has them if it has the image. */
  formerDigests?: string[];
  /** The digest of its tag on the host; default: the same. */
  hostDigest?: string;
  /** Its registry requires this token. */
  token?: string;
  /** How many observations of a started container see it unready, or unfinished. */
  readyAfter?: number;
  /** The program ends with this code instead of listening, after `readyAfter` observations if set. */
  exitCode?: number;
  entrypoint?: string[];
  command?: string[];
  program?: MemoryProgram;
};

/** Runs at each start of a container. */
export type MemoryProgram = (container: MemoryProcess) => MemoryRun;

export type MemoryProcess = {
  /** Entrypoint and command, joined as Docker joins them. */
  args: string[];
  env: Record<string, string>;
  /** Undefined when the file does not exist. */
  read(path: string): string | undefined;
  /** Writes as much as fits. */
  write(path: string, content: string): void;
  /** The names of the entries in the directory of a volume. */
  list(path: string): string[];
  /** Requests `http://<name>:<port><path>` in the network of the deployment. */
  fetch(name: string, port: number, path: string): Answer | undefined;
};

export type MemoryRun = {
  /** The output at the start: to stdout, then to stderr. */
  output?: string[];
  errorOutput?: string[];
  exitCode?: number;
  ports?: number[];
  respond?: (path: string) => Answer;
};

export type Answer = { status: number; body: string };

export type MemoryContainer = Owned & {
  workload: Workload;
  /** Absent without a network. */
  address?: string;
  phase: 'created' | 'running' | 'exited';
  tampering?: Tampering;
  /** Each container with the same name has another number. */
  number: number;
  /** The output since its creation. */
  written: WrittenLine[];
  starts: number;
  /** The last time. */
  startedAt?: number;
  files: Map<string, string>;
  run: MemoryRun;
  /** A second process of its image. */
  runCheck?: ((command: string[]) => MemoryRun) | undefined;
  /** Observations since the start. */
  rounds: number;
  readyAfter: number;
  restarts: number;
  exitCode?: number;
  exitedAt?: number;
  /** Whether the container was ready since this start. */
  wasReady?: boolean;
  stuck?: Stuck | undefined;
};

/** `start`: of which of its starts it is; the first is 1. */
export type WrittenLine = { at: number; stream: OutputStream; text: string; start: number };

/** `epoch`: of the store at creation, if known. */
type Owned = { owner: string; deploymentId: string; epoch?: number };

/** The registries behind a world. */
export type MemoryRegistries = {
  /** Throws EngineFault if the registry refuses the image or does not respond. */
  check(image: string): void;
  /** Resolves when the image has come. */
  send(image: string): Promise<void>;
};

export type MemoryWorld = {
  images: Map<string, MemoryImage>;
  hasEveryImage: boolean;
  registries: MemoryRegistries;
  firstNetwork: readonly [number, number];
  containers: DeploymentMap<MemoryContainer>;
  /** Volumes by deployment and name. */
  volumes: DeploymentMap<Owned & { volume: string; sizeBytes: number; files: Map<string, string> }>;
  /** Copies by their folder. */
  copies: Map<string, CopiedVolumes>;
  /** Networks by deployment. */
  networks: Map<string, Owned & { subnet: number; egress: string }>;
  subnets: { taken: Set<number>; lowestFree: number };
  /** The number of changes of each deployment, and the listeners, all on this machine. */
  versions: Map<string, number>;
  watchers: Set<(deploymentId: string) => void>;
  /** Followers of the containers' output; called when a container has written, has ended or is gone. */
  readers: Set<() => void>;
  /** How many containers there have ever been. */
  containersMade: number;
  capacity: Capacity;
};

const gibibyte = 2 ** 30;

export type MemoryWorldOptions = {
  /** The first two numbers of the addresses in subnet 0. Default: unused addresses. */
  firstNetwork?: readonly [number, number];
  /** Every name is that of an image in a registry. */
  hasEveryImage?: boolean;
  /** Default: they respond at once. */
  registries?: MemoryRegistries;
};

const promptRegistries: MemoryRegistries = { check() {}, async send() {} };

export function createMemoryWorld(
  images: Record<string, MemoryImage>,
  { firstNetwork = [10, 200], hasEveryImage = false, registries = promptRegistries }: MemoryWorldOptions = {},
): MemoryWorld {
  return {
    images: new Map(Object.entries(images)),
    hasEveryImage,
    registries,
    firstNetwork,
    containers: new DeploymentMap(),
    volumes: new DeploymentMap(),
    copies: new Map(),
    networks: new Map(),
    subnets: { taken: new Set(), lowestFree: 0 },
    versions: new Map(),
    watchers: new Set(),
    readers: new Set(),
    containersMade: 0,
    capacity: {
      memoryBytes: 16 * gibibyte,
      cpuMillis: 4_000,
      disk: { usedBytes: 20 * gibibyte, freeBytes: 80 * gibibyte },
    },
  };
}

export function announce(world: MemoryWorld, deploymentId: string): void {
  const { versions, watchers } = world;
  versions.set(deploymentId, (versions.get(deploymentId) ?? 0) + 1);
  for (const watcher of [...watchers]) watcher(deploymentId);
  tellReaders(world);
}

function tellReaders({ readers }: MemoryWorld): void {
  for (const reader of [...readers]) reader();
}

/** Uses the lowest free subnet, like Docker. A released subnet is therefore soon used by another tenant. */
export function addNetwork(world: MemoryWorld, owned: Owned, egress: string, avoid: readonly string[]): void {
  const { networks, subnets } = world;
  const { taken } = subnets;
  let subnet = subnets.lowestFree;
  while (taken.has(subnet) || avoid.some((address) => address.startsWith(`${prefixOf(world, subnet)}.`))) subnet++;
  taken.add(subnet);
  while (taken.has(subnets.lowestFree)) subnets.lowestFree++;
  networks.set(owned.deploymentId, { ...owned, subnet, egress });
}

/** Containers on the network continue without one. */
export function removeNetwork({ networks, subnets, containers }: MemoryWorld, deploymentId: string): void {
  const { subnet } = networks.get(deploymentId)!;
  for (const container of containers.of(deploymentId)) delete container.address;
  networks.delete(deploymentId);
  subnets.taken.delete(subnet);
  subnets.lowestFree = Math.min(subnets.lowestFree, subnet);
}

/** The lowest of the subnet's 125 addresses that is free, as on Docker; undefined when none is. */
export function freeAddress(world: MemoryWorld, deploymentId: string, avoid: readonly string[]): string | undefined {
  const { containers, networks } = world;
  const { subnet } = networks.get(deploymentId)!;
  const used = new Set([...avoid, ...containers.of(deploymentId).map(({ address }) => address)]);
  for (let host = 2; host < 127; host++) {
    const address = `${prefixOf(world, subnet)}.${host}`;
    if (!used.has(address)) return address;
  }
  return undefined;
}

/** Returns the prefix of a network. If one first octet has no more room, the following networks use the next octet. */
function prefixOf({ firstNetwork: [one, two] }: Pick<MemoryWorld, 'firstNetwork'>, subnet: number): string {
  const number = (one << 16) + (two << 8) + subnet;
  return `${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}

/** `now` dates what it writes. */
export function startContainer(world: MemoryWorld, container: MemoryContainer, now: number): void {
  const image = imageOf(world, container.workload.image) ?? {};
  const { exitCode } = image;
  const usual: MemoryRun = {
    ports: exitCode === undefined ? container.workload.ports : [],
    ...(exitCode !== undefined && { exitCode }),
    ...(exitCode === undefined && container.workload.readiness.kind === 'exit' && { exitCode: 0 }),
  };
  container.phase = 'running';
  container.rounds = 0;
  container.wasReady = false;
  container.stuck = undefined;
  container.readyAfter = image.readyAfter ?? 0;
  const { program } = image;
  const own = processOf(world, container, image);
  container.run = program?.(own) ?? usual;
  container.runCheck = program && ((args) => program({ ...own, args }));
  container.starts++;
  container.startedAt = now;
  const { starts: start } = container;
  const { output = [], errorOutput = [] } = container.run;
  for (const text of output) container.written.push({ at: now, stream: 'stdout', text, start });
  for (const text of errorOutput) container.written.push({ at: now, stream: 'stderr', text, start });
  tellReaders(world);
}

/** Advances a container by one observation: programs end, and ended ones are restarted. */
export function passRound(world: MemoryWorld, container: MemoryContainer, now: number): void {
  if (container.phase !== 'running') return;
  container.rounds++;
  const { run, rounds, readyAfter } = container;
  if (run.exitCode !== undefined && rounds > readyAfter)
    endContainer(world, container, { exitCode: run.exitCode, now });
}

/** A service is always restarted, unless it may end; a job three times, unless it exits with 0. */
export function endContainer(
  world: MemoryWorld,
  container: MemoryContainer,
  { exitCode, now }: { exitCode: number; now: number },
): void {
  container.exitCode = exitCode;
  container.exitedAt = now;
  if (container.tampering === 'paused') delete container.tampering;
  const { kind, mayEnd } = container.workload.readiness;
  const isOver = kind === 'exit' ? exitCode === 0 || container.restarts >= 3 : mayEnd && exitCode === 0;
  if (isOver) {
    container.phase = 'exited';
    tellReaders(world);
    return;
  }
  container.restarts++;
  startContainer(world, container, now);
}
