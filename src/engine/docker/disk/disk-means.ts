/** By what means the disk is kept from its tenants on this host. */
import type Docker from 'dockerode';
import type { DiskLimits } from '../../../deployment/disk/disk-levels.ts';
import { loopObstacle } from '../volumes/loop-trial.ts';

export type DiskMeans = {
  /**
   * `loop`: each new volume has a file system of its own, and nothing more fits into it. `watch`: how much is in them
   * is looked at, and who has too much in one is stopped.
   */
  volumes: 'loop' | 'watch' | 'none';
  /** How writes of containers outside of volumes are limited. */
  containers: 'watch' | 'none';
  /** Why it is not better, for the operator. */
  because?: string;
};

/** Finds out what the host has by trying it; leaves nothing. Throws, in words, when `loop` is wanted and not to be had. */
export async function findDiskMeans(
  docker: Docker,
  { owner, directory, limits }: { owner: string; directory: string; limits: DiskLimits },
): Promise<DiskMeans> {
  if (limits === 'off') return { volumes: 'none', containers: 'none', because: 'BERTH_DISK_LIMITS is off' };
  if (limits === 'watch') return { volumes: 'watch', containers: 'watch', because: 'BERTH_DISK_LIMITS is watch' };
  const obstacle = await loopObstacle(docker, owner, directory);
  if (obstacle === undefined) return { volumes: 'loop', containers: 'watch' };
  if (limits === 'loop') throw new Error(`volumes cannot have file systems of their own: ${obstacle}`);
  return { volumes: 'watch', containers: 'watch', because: obstacle };
}
