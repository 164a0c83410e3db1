/** A copy of volumes, or what kept it from being made. */
import type { VolumeCopies, VolumeCopy } from './volume-facets.ts';

/** As `take`; where that fails nothing is left that can be cleared now, and what is thrown says why it has failed. */
export async function takeCopy(
  copies: Pick<VolumeCopies, 'take' | 'clear'>,
  ...[deploymentId, volumes, key, signal]: Parameters<VolumeCopies['take']>
): Promise<VolumeCopy> {
  try {
    return await copies.take(deploymentId, volumes, key, signal);
  } catch (error) {
    // What cannot be cleared now goes with whatever was left by others.
    await copies.clear(key).catch(() => {});
    throw error;
  }
}
