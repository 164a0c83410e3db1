/** What never changes while an engine runs (its version, its processor architecture, its size), and its disk. */
import { statfs } from 'node:fs/promises';
import type Docker from 'dockerode';
import type { Disk } from '../../deployment/budget.ts';

export type HostFacts = {
  /** Go's name: `amd64`, `arm64`. */
  architecture: string;
  cpus: number;
  memoryBytes: number;
  /** Where the engine keeps images, volumes and logs, on its own machine. */
  rootDirectory: string;
  /** 1.44 and newer have a health-check interval of its own for the start. */
  apiVersion: string;
};

/** Asks the engine once; a failed question is asked again by the next caller. */
export function createHostFacts(docker: Docker): () => Promise<HostFacts> {
  let facts: Promise<HostFacts> | undefined;
  return () => {
    facts ??= readHostFacts(docker).catch((error: unknown) => {
      facts = undefined;
      throw error;
    });
    return facts;
  };
}

/** Whether API version `version` is `wanted` or newer, e.g. `1.44`. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major === wantedMajor ? minor >= wantedMinor : major > wantedMajor;
}

/** How full the engine's disk is; undefined when the engine runs elsewhere. Counted as `df` counts. */
export async function readDisk(docker: Docker, { rootDirectory }: HostFacts): Promise<Disk | undefined> {
  const { socketPath } = docker.modem as { socketPath?: string };
  if (!socketPath) return undefined;
  const found = await statfs(rootDirectory).catch(() => undefined);
  if (!found) return undefined;
  const { bsize, blocks, bfree, bavail } = found;
  return { usedBytes: (blocks - bfree) * bsize, freeBytes: bavail * bsize };
}

async function readHostFacts(docker: Docker): Promise<HostFacts> {
  const [version, info] = await Promise.all([docker.version(), docker.info() as Promise<Info>]);
  return {
    architecture: version.Arch,
    apiVersion: version.ApiVersion,
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    rootDirectory: info.DockerRootDir,
  };
}

type Info = { NCPU: number; MemTotal: number; DockerRootDir: string };
