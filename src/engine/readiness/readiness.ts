/** PURE. Decides whether a container is ready, and why not. */
import type { Readiness } from '../../deployment/workload/workload.ts';
import type { Reason } from './attempts.ts';
import { type ContainerState, type Ending, exitReason } from './container-state.ts';

export type Verdict = { isReady: true } | { isReady: false; because: string; hint?: string };

/** The result of a probe: `because` is undefined if it is ready. */
export type Probed = { isReady: boolean; because: Pick<Reason, 'words' | 'hint'> | undefined };

/** A worker without ports counts as ready after it has run for this time … */
const firstUptimeMs = 500;

/** … and after a restart, when Docker considers the start successful and resets its backoff. */
const uptimeAfterRestartMs = 10_000;

export function judge(
  readiness: Readiness,
  state: ContainerState,
  probed: Probed | undefined,
  lastExit: Ending | undefined,
  uptimeMs: number,
): Verdict {
  if (state.phase === 'created') return notReady('is created but not started');
  if (state.exit) {
    if ((readiness.kind === 'exit' || readiness.mayEnd) && isGoodEnd(state.exit)) return { isReady: true };
    const { words, hint } = exitReason(state.exit);
    return notReady(words, hint);
  }
  // A cluster restarts it although it has finished.
  if (readiness.mayEnd && lastExit && isGoodEnd(lastExit)) return { isReady: true };
  const verdict = judgeRunning(readiness, state, probed, uptimeMs);
  if (verdict.isReady || !lastExit) return verdict;
  const { words, hint } = exitReason(lastExit);
  return notReady(`${words}; since its restart: ${verdict.because}`, verdict.hint ?? hint);
}

/** Returns the milliseconds until a worker without ports counts as ready; 0 if it does. */
export function uptimeMissingMs(state: ContainerState, uptimeMs: number): number {
  const needed = state.restarts === 0 ? firstUptimeMs : uptimeAfterRestartMs;
  return Math.max(0, state.startedAtMs + needed - uptimeMs);
}

function judgeRunning(
  readiness: Readiness,
  state: ContainerState,
  probed: Probed | undefined,
  uptimeMs: number,
): Verdict {
  if (readiness.kind === 'exit') return notReady('has not finished yet');
  if (probed) return probed.isReady ? { isReady: true } : notReady(probed.because?.words ?? '', probed.because?.hint);
  if (state.health) {
    if (state.health.isHealthy) return { isReady: true };
    const { wasHealthy, output } = state.health;
    const words = wasHealthy
      ? 'the health check of its image fails'
      : 'the health check of its image has not succeeded yet';
    return notReady(output ? `${words}: ${output.slice(0, 200)}` : words);
  }
  // A container without an address is being connected to its network.
  if (readiness.kind !== 'running') return notReady('has no address yet');
  if (uptimeMissingMs(state, uptimeMs) === 0) return { isReady: true };
  return notReady('has only just started');
}

function isGoodEnd({ code, isStopped }: Ending): boolean {
  return code === 0 && !isStopped;
}

function notReady(because: string, hint?: string): Verdict {
  return { isReady: false, because, ...(hint !== undefined && { hint }) };
}
