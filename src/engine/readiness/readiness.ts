/** PURE. Whether a container is ready, and if not, why not. */
import type { Readiness } from '../../deployment/workload/workload.ts';
import type { Reason } from './attempts.ts';
import { type ContainerState, type Ending, exitReason } from './container-state.ts';

export type Verdict = { isReady: true } | { isReady: false; because: string; hint?: string };

/** What a probe knows: `because` is undefined when ready. */
export type Probed = { isReady: boolean; because: Pick<Reason, 'words' | 'hint'> | undefined };

/** A worker without ports counts as running once it has survived its first moments … */
const firstUptimeMs = 500;

/** … and, once it has been restarted, when Docker itself takes the start for a good one and forgets its back-off. */
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
  // A cluster starts it again although it is done.
  if (readiness.mayEnd && lastExit && isGoodEnd(lastExit)) return { isReady: true };
  const verdict = judgeRunning(readiness, state, probed, uptimeMs);
  if (verdict.isReady || !lastExit) return verdict;
  const { words, hint } = exitReason(lastExit);
  return notReady(`${words}; since its restart: ${verdict.because}`, verdict.hint ?? hint);
}

/** Milliseconds until a worker without ports will have run for long enough; 0 when it has. */
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
  // A port without an address is on its way into its network.
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
