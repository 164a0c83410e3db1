/**
 * PURE. Where the control groups of an installation are: one for all of its deployments, in it one for each, and in that
 * those of the containers, which the engine makes. What the engine calls them depends on who keeps the machine's groups:
 * the engine itself (`cgroupfs`, by a path), or systemd (by a slice, whose name says those above it).
 */
export type GroupDriver = 'cgroupfs' | 'systemd';

export type GroupPlace = {
  /** What the engine is told as the parent of a container's group. */
  parent: string;
  /** Below the root of each of the kernel's hierarchies. */
  path: string;
};

/** The group of all deployments. */
export function installationGroup(driver: GroupDriver, owner: string): GroupPlace {
  if (driver === 'cgroupfs') return { parent: `/berth-${owner}`, path: `berth-${owner}` };
  const name = `berth-${plain(owner)}.slice`;
  return { parent: name, path: `berth.slice/${name}` };
}

export function deploymentGroup(driver: GroupDriver, owner: string, deploymentId: string): GroupPlace {
  const above = installationGroup(driver, owner);
  if (driver === 'cgroupfs')
    return { parent: `${above.parent}/${deploymentId}`, path: `${above.path}/${deploymentId}` };
  const name = `berth-${plain(owner)}-${plain(deploymentId)}.slice`;
  return { parent: name, path: `${above.path}/${name}` };
}

/** The deployment that a folder within the group of all is of; undefined for what is none of ours. */
export function deploymentOf(driver: GroupDriver, owner: string, folder: string): string | undefined {
  if (driver === 'cgroupfs') return folder;
  const start = `berth-${plain(owner)}-`;
  return folder.startsWith(start) && folder.endsWith('.slice') ? folder.slice(start.length, -6) : undefined;
}

/** A dash in the name of a slice is a step down. */
function plain(id: string): string {
  return id.replaceAll('-', '_');
}

/**
 * What all deployments may hold at most, when nobody says otherwise: the machine keeps a tenth of its memory, at least
 * 1 GiB where that is no more than a fifth, for the engine, the edge, the service and the kernel.
 */
export function usualLimit(machineBytes: number): number {
  return machineBytes - Math.floor(Math.max(machineBytes / 10, Math.min(2 ** 30, machineBytes / 5)));
}
