/** Takes a copy of volumes and cleans up after a failure. */
import type { VolumeCopies, VolumeCopy } from './volume-facets.ts';

/** Like `take`. After a failure, everything that can be removed now is removed, and the original error is thrown. */
export async function takeCopy(
  copies: Pick<VolumeCopies, 'take' | 'clear'>,
  ...[deploymentId, volumes, key, signal]: Parameters<VolumeCopies['take']>
): Promise<VolumeCopy> {
  try {
    return await copies.take(deploymentId, volumes, key, signal);
  } catch (error) {
    // A later cleanup removes what cannot be removed now.
    await copies.clear(key).catch(() => {});
    throw error;
  }
}
