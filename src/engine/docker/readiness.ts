/** PURE. Whether a container is ready, and if not, why not. */
import type { Readiness } from '../../deployment/workload.ts';
import { type Exit, exitWords, type Sighting } from './sighting.ts';

export type Verdict = { isReady: boolean; because?: string };

/** A worker without ports counts as running once it has survived its first moments … */
const firstUptimeMs = 500;

/** … and, once it has been restarted, when Docker itself takes the start for a good one and forgets its back-off. */
const uptimeAfterRestartMs = 10_000;

export function judge(
  readiness: Readiness,
  sighting: Sighting,
  probe: { isReady: boolean; because: string } | undefined,
  lastExit: Exit | undefined,
  nowMs: number,
): Verdict {
  if (sighting.phase === 'created') return { isReady: false, because: 'is created but not started' };
  if (sighting.exit) {
    if (readiness.kind === 'exit' && sighting.exit.code === 0) return { isReady: true };
    return { isReady: false, because: exitWords(sighting.exit) };
  }
  const verdict = judgeRunning(readiness, sighting, probe, nowMs);
  if (verdict.isReady || !lastExit) return verdict;
  return { isReady: false, because: `${exitWords(lastExit)}; since its restart: ${verdict.because}` };
}

/** Milliseconds until a worker without ports will have run for long enough; 0 when it has. */
export function uptimeMissingMs(sighting: Sighting, nowMs: number): number {
  const needed = sighting.restarts === 0 ? firstUptimeMs : uptimeAfterRestartMs;
  return Math.max(0, sighting.startedAtMs + needed - nowMs);
}

function judgeRunning(
  readiness: Readiness,
  sighting: Sighting,
  probe: { isReady: boolean; because: string } | undefined,
  nowMs: number,
): Verdict {
  if (readiness.kind === 'exit') return { isReady: false, because: 'has not finished yet' };
  if (probe) return probe.isReady ? { isReady: true } : { isReady: false, because: probe.because };
  if (sighting.health) {
    if (sighting.health.isHealthy) return { isReady: true };
    const output = sighting.health.output.slice(0, 200);
    return {
      isReady: false,
      because: `the health check of its image has not succeeded yet${output ? `: ${output}` : ''}`,
    };
  }
  // A port without an address is on its way into its network.
  if (readiness.kind !== 'running') return { isReady: false, because: 'has no address yet' };
  if (uptimeMissingMs(sighting, nowMs) === 0) return { isReady: true };
  return { isReady: false, because: 'has only just started' };
}
