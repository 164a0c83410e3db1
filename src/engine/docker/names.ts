/** Names on the Docker engine: deterministic, so that doing something twice meets what is there already. */
import { createHash } from 'node:crypto';

/** Linux allows 15 characters for the name of an interface. */
const interfaceNameLimit = 15;

/** Every bridge of ours starts like this; firewall rules go by it. */
const bridgePrefix = 'brt-';

export function networkName(deploymentId: string): string {
  return `berth-${deploymentId}`;
}

export function bridgeName(deploymentId: string): string {
  const name = `${bridgePrefix}${deploymentId}`;
  if (name.length <= interfaceNameLimit) return name;
  const hash = createHash('sha256').update(deploymentId).digest('hex');
  return `${bridgePrefix}${hash.slice(0, interfaceNameLimit - bridgePrefix.length)}`;
}

export function volumeName(deploymentId: string, volume: string): string {
  return `berth-${deploymentId}-${volume}`;
}

/**
 * The volume for a directory inside another volume, see `mounts.ts`. A dot keeps it apart from the volumes that a
 * configuration names: their names have none.
 */
export function nestedVolumeName(deploymentId: string, volume: string, relativePath: string): string {
  return `${volumeName(deploymentId, volume)}.${nestedSlug(relativePath)}`;
}

/** One step of a path, whatever the image calls its directories. */
export function nestedSlug(relativePath: string): string {
  return relativePath.replaceAll('/', '.').replaceAll(/[^A-Za-z0-9_.-]/g, '_');
}
