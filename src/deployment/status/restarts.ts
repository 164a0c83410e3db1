/**
 * PURE. Recent restarts of a serving pod. An engine returns only their total number and the time of the last one, so
 * they are remembered between observations. Restarts before a revision serves do not count: many applications crash
 * until their database is ready.
 */
import type { Instant, PodStatus } from '../deployment.ts';
import type { Match } from '../plan/matches.ts';

/** A pod with this many restarts in this time keeps restarting. */
const manyRestarts = 2;
const restartSpanMs = 30 * 60_000;

/** No caller needs more. */
const maxRemembered = 5;

type Memory = Pick<PodStatus, 'restartedAt' | 'settledRestarts'>;

/**
 * Returns the remembered fields of a pod. `matches`: its replicas. `before`: its status at the last observation.
 * `isServing`: its revision has been ready as a whole.
 */
export function rememberRestarts(
  before: PodStatus | undefined,
  matches: readonly Match[],
  { isServing, now }: { isServing: boolean; now: Instant },
): Memory {
  // Restarts of another revision's workload do not count.
  const known = before && matches.some(({ found }) => found?.revision === before.revision) ? before : undefined;
  const { restartedAt, settledRestarts } = known ?? { restartedAt: [], settledRestarts: [] };
  if (!isServing) return { restartedAt, settledRestarts };
  const added = known ? restartsOf(matches) - known.restarts : 0;
  const at = lastExitOf(matches)?.at ?? now;
  return {
    restartedAt: [...restartedAt, ...Array<Instant>(Math.max(0, added)).fill(at)].slice(-maxRemembered),
    settledRestarts: matches.map(({ found }, replica) =>
      found?.isReady ? found.restarts : (settledRestarts[replica] ?? 0),
    ),
  };
}

export function restartsOf(matches: readonly Match[]): number {
  return matches.reduce((sum, { found }) => sum + (found?.restarts ?? 0), 0);
}

/** Returns the last exit of all replicas. */
export function lastExitOf(matches: readonly Match[]): PodStatus['lastExit'] {
  return matches.flatMap(({ found }) => found?.lastExit ?? []).toSorted((a, b) => b.at - a.at)[0];
}

/** Returns whether the pod has restarted repeatedly until shortly before `now`. */
export function keepsRestarting({ restartedAt }: Pick<PodStatus, 'restartedAt'>, now: Instant): boolean {
  return restartedAt.filter((at) => now - at < restartSpanMs).length >= manyRestarts;
}
