/** PURE. A workload as Docker's options for creating its container, with the defaults for hostile tenants. */
import { posix } from 'node:path';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { ContainerOptions, TmpfsSpec } from '../../../config/spec/spec.ts';
import { limitsOf, requestsOf } from '../../../deployment/limits/pod-resources.ts';
import type { Readiness, Workload } from '../../../deployment/workload/workload.ts';
import { builderCapabilities, capabilities, gvisorBuilderCapabilities } from '../../capabilities.ts';
import { epochLabel, type Labels, labelKeys, workloadLabels } from '../../labels.ts';
import { type DiskRate, throttled } from '../disk/disk-throttle.ts';
import { scoreOf } from '../groups/layout.ts';
import { type HostFacts, isAtLeast } from '../host/host-facts.ts';
import type { Runtime } from '../host/runtime.ts';
import type { ImageFacts } from '../images/image-facts.ts';
import { networkName } from '../names.ts';
import { mountsOf, sharedMounts } from './mounts.ts';
import { seccompProfile } from './seccomp.ts';
import { limitsText } from './tampering.ts';

const second = 1_000_000_000; // Docker counts in nanoseconds.

/** Docker refuses less. */
const minReservation = 6 * 2 ** 20;

export type ContainerRequest = {
  owner: string;
  epoch: number;
  deploymentId: string;
  workload: Workload;
  address: string;
  image: ImageFacts;
  host: HostFacts;
  runtime: Runtime;
  /** Lines of its hosts file, by name. Names that its configuration gives an address are not among them. */
  hosts?: ReadonlyMap<string, string>;
  /** The number of its GPU, if it requests one. */
  gpu?: number;
  /** See `mountsOf`. */
  boundTo?: ReadonlyMap<string, string>;
  /** The control group of all containers, and its limit. Absent if the engine's own group is used. */
  group?: { parent: string; limitBytes: number } | undefined;
  /** How fast it may read and write on which devices. */
  throttle?: { devices: string[]; rate: DiskRate } | undefined;
  /** The name servers of the container's engine resolver. Default: those of the machine. */
  resolvers?: string[] | undefined;
  stopSeconds: number;
};

export function containerOptions(request: ContainerRequest): ContainerCreateOptions {
  const { owner, epoch, deploymentId, workload, address, image, host, runtime, gpu, boundTo, group, throttle } =
    request;
  const { resolvers, stopSeconds } = request;
  const network = networkName(deploymentId);
  const { container = {} } = workload;
  const { memoryBytes } = limitsOf(workload.resources);
  const limits: HostConfig = {
    // A service must survive a restart of the engine. A job that keeps failing has failed.
    RestartPolicy: restartPolicyOf(workload.readiness),
    ...resourcesOf(workload.resources, host),
  };
  const mountPaths = workload.volumes.map(({ mountPath }) => mountPath);
  // A directory that the image declares as a volume may be in memory instead.
  const inMemory = new Set(
    directoriesInMemory(container, mountPaths).map(({ mountPath }) => posix.resolve('/', mountPath)),
  );
  const imageVolumes = image.volumes.filter((path) => !inMemory.has(posix.resolve('/', path)));
  return {
    name: workload.name,
    Image: image.name,
    // A pod's name may have 64 characters, a label of DNS 63.
    Hostname: workload.hostname ?? container.hostname ?? workload.pod.slice(0, 63),
    ...(container.domainname !== undefined && { Domainname: container.domainname }),
    Labels: {
      ...withoutMeaning(image.labels),
      ...workloadLabels(owner, deploymentId, workload, address),
      ...epochLabel(epoch),
      [labelKeys.limits]: limitsText(limits),
      ...(gpu !== undefined && { [labelKeys.gpu]: String(gpu) }),
    },
    Env: Object.entries(workload.env).map(([name, value]) => `${name}=${value}`),
    ...(workload.entrypoint && { Entrypoint: workload.entrypoint }),
    ...(workload.command && { Cmd: workload.command }),
    ...(workload.workingDir !== undefined && { WorkingDir: workload.workingDir }),
    ...(workload.user !== undefined && { User: workload.user }),
    ...healthCheckOf(workload.readiness, image, host),
    StopTimeout: container.stopGraceSeconds ?? stopSeconds,
    ...(container.stopSignal !== undefined && { StopSignal: container.stopSignal }),
    HostConfig: {
      NetworkMode: network,
      Mounts: [
        ...mountsOf(owner, deploymentId, workload.volumes, imageVolumes, boundTo),
        ...sharedMounts(owner, deploymentId, workload.sharedFolders),
      ],
      ...limits,
      Runtime: runtime,
      ...(gpu !== undefined && { DeviceRequests: [{ Driver: '', DeviceIDs: [String(gpu)], Capabilities: [['gpu']] }] }),
      ...(group && { CgroupParent: group.parent }),
      ...(throttle && throttled(throttle.devices, throttle.rate)),
      ...(resolvers && { Dns: resolvers }),
      ...withOptions(hardening(host.architecture, runtime, workload.buildsImages), container, {
        memoryBytes,
        mountPaths,
        hosts: request.hosts,
      }),
      OomScoreAdj: scoreOf(requestsOf(workload.resources).memoryBytes, group?.limitBytes ?? host.memoryBytes),
    },
    NetworkingConfig: {
      EndpointsConfig: { [network]: { Aliases: workload.aliases, IPAMConfig: { IPv4Address: address } } },
    },
  };
}

/**
 * A container inherits the labels of its image, which other software at the engine's socket obeys. The API can override
 * a label but not remove it.
 */
function withoutMeaning(imageLabels: readonly string[]): Labels {
  return Object.fromEntries(imageLabels.map((key) => [key, '']));
}

/** A service must survive a restart of the engine. A job that keeps failing has failed. */
function restartPolicyOf(readiness: Readiness): NonNullable<HostConfig['RestartPolicy']> {
  if (readiness.kind === 'exit') return { Name: 'on-failure', MaximumRetryCount: 3 };
  return { Name: readiness.mayEnd ? 'on-failure' : 'unless-stopped', MaximumRetryCount: 0 };
}

function resourcesOf(resources: Workload['resources'], host: HostFacts): HostConfig {
  const limits = limitsOf(resources);
  const memory = limits.memoryBytes;
  // Docker refuses more processors than the host has. The configuration may come from a larger host.
  const cpuMillis = Math.min(limits.cpuMillis, host.cpus * 1000);
  return {
    Memory: memory,
    MemorySwap: memory, // memory and swap together: no swap
    // The reserved memory, which the kernel reclaims last.
    MemoryReservation: Math.min(Math.max(requestsOf(resources).memoryBytes, minReservation), memory),
    NanoCpus: Math.round(cpuMillis * 1_000_000),
    // On a busy machine, each container gets its requested share, independent of the number of containers.
    CpuShares: Math.max(2, Math.round((requestsOf(resources).cpuMillis * 1024) / 1000)),
  };
}

/**
 * The image's own health check applies if neither the configuration nor a port defines readiness. The engine starts
 * each check as a process, which costs about 50 ms outside of all limits, so Berth sets the times. A missing time would
 * be the image's.
 */
function healthCheckOf(readiness: Readiness, image: ImageFacts, host: HostFacts): ContainerCreateOptions {
  if (!image.hasHealthCheck) return {};
  if (readiness.kind !== 'running' || readiness.ignoresImage) return { Healthcheck: { Test: ['NONE'] } };
  const startSeconds = Math.max(60, readiness.startPeriodSeconds ?? 0);
  const times = { Timeout: 5 * second, Retries: 3, StartPeriod: startSeconds * second };
  // Docker runs the first check after a whole interval. Engines before 1.44 have no shorter start interval.
  if (!isAtLeast(host.apiVersion, '1.44')) return { Healthcheck: { ...times, Interval: 5 * second } };
  return { Healthcheck: { ...times, Interval: 10 * second, StartInterval: second } };
}

/**
 * Translates the container options of a configuration into Docker's. They add to the hardening and never weaken
 * it.
 */

/** `memoryBytes`: the limit, which includes in-memory directories. */
export function withOptions(
  base: HostConfig,
  options: ContainerOptions,
  {
    memoryBytes,
    mountPaths,
    hosts: known,
  }: { memoryBytes: number; mountPaths: string[]; hosts?: ReadonlyMap<string, string> | undefined },
): HostConfig {
  const { shmBytes, readOnly, ulimits = {}, groups, extraHosts = {}, sysctls } = options;
  const inMemory = directoriesInMemory(options, mountPaths);
  // Entries of the configuration replace others, because the container would use both lines of a name.
  const hosts = Object.entries({ ...Object.fromEntries(known ?? []), ...extraHosts });
  const own = new Set(Object.keys(ulimits));
  return {
    ...base,
    ...(shmBytes !== undefined && { ShmSize: Math.min(shmBytes, memoryBytes) }),
    ...(inMemory.length > 0 && {
      Tmpfs: Object.fromEntries(inMemory.map((directory) => [directory.mountPath, mountWords(directory, memoryBytes)])),
    }),
    ...(readOnly && { ReadonlyRootfs: true }),
    ...(groups && { GroupAdd: groups }),
    ...(hosts.length > 0 && { ExtraHosts: hosts.map(([name, address]) => `${name}:${address}`) }),
    Ulimits: [
      ...(base.Ulimits ?? []).filter(({ Name }) => Name === undefined || !own.has(Name)),
      ...Object.entries(ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    ],
    Sysctls: { ...base.Sysctls, ...sysctls },
  };
}

/**
 * Returns the in-memory directories. A container with a read-only root file system also gets `/tmp`, because most
 * programs need it.
 */
function directoriesInMemory({ tmpfs = [], readOnly }: ContainerOptions, mountPaths: readonly string[]): TmpfsSpec[] {
  const taken = [...mountPaths, ...tmpfs.map(({ mountPath }) => mountPath)].map((path) => posix.resolve('/', path));
  return readOnly && !taken.includes('/tmp') ? [...tmpfs, { mountPath: '/tmp' }] : tmpfs;
}

/** Without a size, a directory could take half of the machine's memory before its pod is killed. */
function mountWords({ sizeBytes, mode = '1777', user, group, isExecutable }: TmpfsSpec, memoryBytes: number): string {
  const size = Math.min(sizeBytes ?? Math.floor(memoryBytes / 2), memoryBytes);
  return [
    ...['rw', 'nosuid', 'nodev', isExecutable ? 'exec' : 'noexec', `size=${size}`, `mode=${mode}`],
    ...(user === undefined ? [] : [`uid=${user}`]),
    ...(group === undefined ? [] : [`gid=${group}`]),
  ].join(',');
}

/** The hardening of every container, for all users. It adds no start time (measured). */

/** Files that appear empty, because they reveal the machine or other containers, or allow timing attacks. */
const maskedPaths = [
  // The default list of the engine, which this list replaces.
  ...['/proc/acpi', '/proc/asound', '/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/latency_stats'],
  ...['/proc/sched_debug', '/proc/scsi', '/proc/timer_list', '/proc/timer_stats', '/sys/firmware'],
  '/sys/devices/virtual/powercap',
  // The kernel's command line, which may contain addresses and keys of the operator.
  '/proc/cmdline',
  // These files show the host's disks and the file behind each volume, with the names of other deployments.
  ...['/proc/diskstats', '/proc/partitions', '/sys/block', '/sys/devices/virtual/block', '/sys/fs/ext4'],
  // Serial numbers, which identify the machine to a cloud.
  '/sys/devices/virtual/dmi',
  // Kernel addresses, which help attackers.
  ...['/proc/kallsyms', '/proc/iomem', '/proc/ioports', '/proc/slabinfo', '/proc/vmallocinfo', '/proc/modules'],
  ...['/proc/kpagecount', '/proc/kpageflags', '/proc/kpagecgroup', '/proc/key-users', '/sys/kernel/vmcoreinfo'],
];

/** The engine's own list, and the control groups of older kernels, which the engine leaves writable. */
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger', '/sys/fs/cgroup'];

/**
 * Allows 256 processes per container. gVisor needs two host processes for each, and up to 60 for itself (measured). If
 * it cannot create one, it ends, and the container with it.
 */
const processes = { runc: 256, runsc: 2 * 256 + 192 };

/**
 * Mounts no files of the host, and publishes no port. `architecture`: the host's, by Go's name. `buildsImages`: for
 * the container of an image build.
 */
export function hardening(architecture: string, runtime: Runtime = 'runc', buildsImages = false): HostConfig {
  const profile = seccompProfile(architecture, buildsImages);
  return {
    CapDrop: ['ALL'],
    CapAdd: capabilitiesOf(runtime, buildsImages),
    SecurityOpt: ['no-new-privileges:true', ...(profile ? [`seccomp=${profile}`] : [])],
    MaskedPaths: maskedPaths,
    ReadonlyPaths: readonlyPaths,
    Privileged: false,
    IpcMode: 'private',
    PidsLimit: processes[runtime],
    Ulimits: [
      // Docker's default is a million. An engine in a virtual machine may not allow more than 20,000 (measured).
      { Name: 'nofile', Soft: 16_384, Hard: 16_384 },
      // A crash writes no image of the memory, with passwords in it, into a volume.
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    // Containers must not learn the machine's domain, and a search domain slows down every external name.
    DnsSearch: ['.'],
    // Reaps orphans and hands signals on: a first process without a handler would ignore SIGTERM.
    Init: true,
    // Users other than root may listen on port 80.
    Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
  };
}

function capabilitiesOf(runtime: Runtime, buildsImages: boolean): string[] {
  if (!buildsImages) return capabilities;
  return runtime === 'runsc' ? gvisorBuilderCapabilities : builderCapabilities;
}
