/** Deterministic names on the Docker engine, so that a repeated operation finds the existing object. */
import { createHash } from 'node:crypto';

/** Linux allows 15 characters for the name of an interface. */
const interfaceNameLimit = 15;

/** Every bridge of every installation starts like this; firewall rules go by it. */
export const everyBridgePrefix = 'brt-';

/** Every bridge of this installation: 36^4 of them on one machine. */
export function bridgePrefix(owner: string): string {
  return `${everyBridgePrefix}${hashOf(owner, 4)}`;
}

export function networkName(deploymentId: string): string {
  return `berth-${deploymentId}`;
}

/** The hash has 7 characters, 36 bits: among 4,096 networks two meet in one of 9,000 installations. */
export function bridgeName(owner: string, deploymentId: string): string {
  const prefix = bridgePrefix(owner);
  return `${prefix}${hashOf(deploymentId, interfaceNameLimit - prefix.length)}`;
}

/** Letters and digits. */
function hashOf(text: string, length: number): string {
  const hash = createHash('sha256').update(text).digest();
  return hash.readBigUInt64BE().toString(36).padStart(13, '0').slice(-length);
}

export function volumeName(deploymentId: string, volume: string): string {
  return `berth-${deploymentId}-${volume}`;
}

/**
 * Returns the volume for a directory inside another volume, see `mounts.ts`. The dot distinguishes it from volumes of a
 * configuration, whose names contain none.
 */
export function nestedVolumeName(deploymentId: string, volume: string, relativePath: string): string {
  return `${volumeName(deploymentId, volume)}.${nestedSlug(relativePath)}`;
}

/** Returns one path segment for any directory names of the image. */
export function nestedSlug(relativePath: string): string {
  return relativePath.replaceAll('/', '.').replaceAll(/[^A-Za-z0-9_.-]/g, '_');
}

/** The only path that has this slug; undefined where several have it. */
export function pathOfSlug(slug: string): string | undefined {
  return /[_.]/.test(slug) ? undefined : slug;
}
