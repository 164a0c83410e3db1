/**
 * PURE. Restarts of a pod that serves, remembered from one look to the next: an engine counts them for ever, and says
 * when the last one was. Before a revision serves they mean nothing: many applications crash until their database is up.
 */
import type { Instant, PodStatus } from '../deployment.ts';
import type { Match } from '../plan/matches.ts';

/** So many restarts within so long: the pod keeps restarting. */
const manyRestarts = 2;
const restartSpanMs = 30 * 60_000;

/** More are never asked for. */
const maxRemembered = 5;

type Memory = Pick<PodStatus, 'restartedAt' | 'settledRestarts'>;

/**
 * What is to be remembered of a pod, with `matches` for its replicas. `before`: its status at the last look.
 * `isServing`: its revision has become ready as a whole.
 */
export function rememberRestarts(
  before: PodStatus | undefined,
  matches: readonly Match[],
  { isServing, now }: { isServing: boolean; now: Instant },
): Memory {
  // Of another revision's workload nothing is known that would concern this one.
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

/** Of all replicas the one that ended last. */
export function lastExitOf(matches: readonly Match[]): PodStatus['lastExit'] {
  return matches.flatMap(({ found }) => found?.lastExit ?? []).toSorted((a, b) => b.at - a.at)[0];
}

/** Whether it has been started anew again and again until a short while before `now`. */
export function keepsRestarting({ restartedAt }: Pick<PodStatus, 'restartedAt'>, now: Instant): boolean {
  return restartedAt.filter((at) => now - at < restartSpanMs).length >= manyRestarts;
}
