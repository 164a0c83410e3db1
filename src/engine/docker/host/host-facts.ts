/** Facts that are constant while an engine runs (its version, its processor architecture, its size), and its disk. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type Docker from 'dockerode';
import type { Disk } from '../../../deployment/limits/host-budget.ts';

export type HostFacts = {
  /** Go's name: `amd64`, `arm64`. */
  architecture: string;
  cpus: number;
  memoryBytes: number;
  /** The location of images, volumes and logs on the engine's machine. */
  rootDirectory: string;
  /** 1.44 and newer have a health-check interval of its own for the start. */
  apiVersion: string;
  /** Images are in containerd's store, the default of fresh engines from 29 on, and not in Docker's own. */
  keepsImagesInContainerd: boolean;
  /** The host's user for root in a container: another user if the engine remaps users. */
  containerRoot: { uid: number; gid: number };
};

/** The engine may be upgraded, with other folders, while this process runs. */
const rememberMs = 60_000;

/**
 * Queries the engine at most once a minute. During a query, or while the engine is down, callers get the previous
 * answer, because starts must be accepted then, too. Throws if the engine never answered.
 */
export function createHostFacts(docker: Docker, uptime: () => number): () => Promise<HostFacts> {
  let known: { facts: HostFacts; atMs: number } | undefined;
  let asking: Promise<HostFacts> | undefined;

  async function readFacts(): Promise<HostFacts> {
    try {
      const facts = await readHostFacts(docker);
      known = { facts, atMs: uptime() };
      return facts;
    } finally {
      asking = undefined;
    }
  }

  return async () => {
    const isOld = !known || uptime() - known.atMs >= rememberMs;
    if (isOld) asking ??= readFacts();
    if (!known) return await asking!;
    asking?.catch(() => {});
    return known.facts;
  };
}

/** Returns whether API version `version` is `wanted` or newer, e.g. `1.44`. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major === wantedMajor ? minor >= wantedMinor : major > wantedMajor;
}

/** Returns whether the engine is reached through a socket of this machine. */
export function isLocal(docker: Docker): boolean {
  const { socketPath } = docker.modem as { socketPath?: string };
  return Boolean(socketPath);
}

/**
 * Returns the use of the engine's disk, counted like `df`. Undefined if the engine runs elsewhere. If volumes are in
 * another folder, its free space is used.
 */
export async function readDisk(
  docker: Docker,
  { rootDirectory }: HostFacts,
  volumesFolder?: string,
): Promise<Disk | undefined> {
  if (!isLocal(docker)) return undefined;
  const found = await statfs(rootDirectory).catch(() => undefined);
  if (!found) return undefined;
  const { bsize, blocks, bfree, bavail } = found;
  const volumes = volumesFolder && (await statfs(dirname(volumesFolder)).catch(() => undefined));
  return {
    usedBytes: (blocks - bfree) * bsize,
    freeBytes: bavail * bsize,
    ...(volumes && {
      volumesFreeBytes: volumes.bavail * volumes.bsize,
      volumesUsedBytes: (volumes.blocks - volumes.bfree) * volumes.bsize,
    }),
  };
}

async function readHostFacts(docker: Docker): Promise<HostFacts> {
  const [version, info] = await Promise.all([docker.version(), docker.info() as Promise<Info>]);
  return {
    architecture: version.Arch,
    apiVersion: version.ApiVersion,
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    rootDirectory: info.DockerRootDir,
    keepsImagesInContainerd: (info.DriverStatus ?? []).some(([, value]) => value?.startsWith(containerdDriver)),
    containerRoot: containerRootOf(info),
  };
}

/** `driver-type` of the driver's status, as Docker 25 and later have it. */
const containerdDriver = 'io.containerd.snapshotter';

type Info = {
  NCPU: number;
  MemTotal: number;
  DockerRootDir: string;
  SecurityOptions?: string[];
  DriverStatus?: [string, string][] | null;
};

/** With `userns-remap`, all data of the engine is in a folder named after root's ids in the namespace. */
function containerRootOf({ DockerRootDir, SecurityOptions }: Info): HostFacts['containerRoot'] {
  const ids = /\/(\d+)\.(\d+)$/.exec(DockerRootDir);
  const isRemapped = SecurityOptions?.some((option) => option.startsWith('name=userns'));
  return isRemapped && ids ? { uid: Number(ids[1]), gid: Number(ids[2]) } : { uid: 0, gid: 0 };
}
