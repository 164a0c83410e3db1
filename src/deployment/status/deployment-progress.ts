/** Progress, 0 to 100, from the completed steps. */
import type { PulledBytes } from '../deployment.ts';
import type { Running } from '../desired.ts';
import { isPresent, matchWorkloads } from '../plan/matches.ts';
import type { Observed } from '../workload/workload.ts';

/** The part of an image that is on the host: 0..1 including its unpacking, and in bytes if they are known. */
export type Pulled = { share: number; bytes?: PulledBytes };

/** The weights of a workload's steps: image, start, readiness. */
const weights = { image: 3, started: 1, ready: 3 };

/**
 * Returns an integer from 0 to 99; a deployment reaches 100 when it is routed. `pulled`: images that are being pulled.
 */
export function progressOf(desired: Running, observed: Observed, pulled: ReadonlyMap<string, Pulled>): number {
  const total = weights.image + weights.started + weights.ready;
  const shares = matchWorkloads(desired, observed).map(({ wanted, found }) => {
    if (found?.isReady) return 1;
    if (found && found.phase !== 'created') return (weights.image + weights.started) / total;
    const { image } = wanted.workload;
    const share = isPresent(image, observed) ? 1 : (pulled.get(image)?.share ?? 0);
    return (weights.image * share) / total;
  });
  const sum = shares.reduce((a, b) => a + b, 0);
  return Math.min(99, Math.floor((100 * sum) / Math.max(1, shares.length)));
}
