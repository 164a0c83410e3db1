/** What never changes while an engine runs: its version, its processor architecture, its size. */
import type Docker from 'dockerode';

export type HostFacts = {
  /** Go's name: `amd64`, `arm64`. */
  architecture: string;
  cpus: number;
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

async function readHostFacts(docker: Docker): Promise<HostFacts> {
  const [version, info] = await Promise.all([docker.version(), docker.info() as Promise<{ NCPU: number }>]);
  return { architecture: version.Arch, cpus: info.NCPU, apiVersion: version.ApiVersion };
}
