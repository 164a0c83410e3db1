/** By what means the disk is kept from its tenants on this host. */
import type Docker from 'dockerode';
import { loopObstacle } from './loop-trial.ts';

/** `auto` is the best that the host has. */
export type DiskLimits = 'auto' | 'loop' | 'off';

export type DiskMeans = {
  /**
   * `loop`: each new volume has a file system of its own, and nothing more fits into it. `none`: they are directories
   * of the engine's.
   */
  volumes: 'loop' | 'none';
  /** Why it is not better, for the operator. */
  because?: string;
};

/** Finds out what the host has by trying it; leaves nothing. Throws, in words, when `loop` is wanted and not to be had. */
export async function findDiskMeans(
  docker: Docker,
  { owner, directory, limits }: { owner: string; directory: string; limits: DiskLimits },
): Promise<DiskMeans> {
  if (limits === 'off') return { volumes: 'none', because: 'BERTH_DISK_LIMITS is off' };
  const obstacle = await loopObstacle(docker, owner, directory);
  if (obstacle === undefined) return { volumes: 'loop' };
  if (limits === 'loop') throw new Error(`volumes cannot have file systems of their own: ${obstacle}`);
  return { volumes: 'none', because: obstacle };
}
