/**
 * PURE. The location and the limit of an installation's control group, and how the kernel chooses the process to kill
 * in it.
 */

/** The manager of the machine's groups: the container engine itself, by a path, or systemd, by a slice. */
export type GroupDriver = 'cgroupfs' | 'systemd';

export type GroupPlace = {
  /** `CgroupParent` of the containers. */
  parent: string;
  /** The path below the root of each of the kernel's hierarchies. */
  path: string;
};

export function installationGroup(driver: GroupDriver, owner: string): GroupPlace {
  if (driver === 'cgroupfs') return { parent: `/berth-${owner}`, path: `berth-${owner}` };
  // A dash in the name of a slice separates the levels of the hierarchy.
  const name = `berth-${owner.replaceAll('-', '_')}.slice`;
  return { parent: name, path: `berth.slice/${name}` };
}

/**
 * The default memory limit of all deployments together. The machine keeps a tenth of its memory for the engine, the
 * edge, the service and the kernel, and at least 1 GiB if that is at most a fifth.
 */
export function usualLimit(machineBytes: number): number {
  return machineBytes - Math.floor(Math.max(machineBytes / 10, Math.min(2 ** 30, machineBytes / 5)));
}

const maxScore = 999;

/**
 * If the machine itself runs out of memory, containers are killed before the engine, the edge and the service, which
 * have 0. In a gVisor container, its kernel is killed and not one of its helpers (1), for which it would wait forever.
 */
const minScore = 500;

/**
 * Returns the `OomScoreAdj` of a container, in thousandths of `allBytes`, the limit of all deployments together. The
 * kernel adds it to the size of each process and kills the largest. A container that exceeds its request is therefore
 * killed before one that does not, even if its memory is spread over many small processes.
 */
export function scoreOf(requestedBytes: number, allBytes: number): number {
  const score = maxScore - Math.round((1000 * requestedBytes) / Math.max(allBytes, 1));
  return Math.min(maxScore, Math.max(minScore, score));
}
