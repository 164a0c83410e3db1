/** PURE. Decides whether a container is ready, and why not. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ObservedWorkload, Readiness, Stuck, WorkloadName } from '../../deployment/workload/workload.ts';
import type { Reason } from './attempts.ts';
import { type ContainerState, type Ending, exitReason } from './container-state.ts';
import {
  type Elsewhere,
  followElsewhere,
  type Listening,
  listeningAfterMs,
  listeningReason,
  notYet,
  startingMs,
} from './listening.ts';
import type { Probe } from './probe.ts';

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

/** Probes several workloads at once and describes each of them, for engines that Berth probes itself. */

/** A probe that takes longer continues, and a later observation has its result. */
const probeWaitMs = 250;

/** The state of a workload between two observations. */
export type ProbedWorkload = {
  name: WorkloadName;
  labels: { pod: string; revision: number; replica: number; fingerprint: string; readiness: Readiness };
  state: ContainerState;
  probe?: Probe;
  /** The last reported readiness. */
  reportedReady?: boolean;
  elsewhere?: Elsewhere;
};

/** One instant on the monotonic clock and on the wall clock. */
export type Instants = { nowMs: number; uptimeMs: number };

/** Returns the processor time in milliseconds since the container's start, if it is known. */
export type ContainerInsights = { listening: Listening[]; cpuMs: number | undefined };

export async function probeAll(known: readonly Pick<ProbedWorkload, 'probe'>[]): Promise<void> {
  const attempts = known.flatMap(({ probe }) => (probe?.dueInMs() === 0 ? [probe.attempt()] : []));
  if (attempts.length === 0) return;
  const enough = new AbortController();
  await Promise.race([Promise.all(attempts), delay(probeWaitMs, undefined, { signal: enough.signal }).catch(() => {})]);
  enough.abort();
}

/**
 * Explains a refused port by the ports on which the container listens, and remembers since when that has not changed.
 */
export async function reasonElsewhere(
  known: ProbedWorkload,
  uptimeMs: number,
  lookInside: () => Promise<ContainerInsights | undefined>,
): Promise<Reason | undefined> {
  const { labels, state, probe } = known;
  const { readiness } = labels;
  const before = known.elsewhere;
  delete known.elsewhere;
  if (readiness.kind !== 'port' && readiness.kind !== 'http') return undefined;
  if (probe?.because?.kind !== 'refused') return undefined;
  const runsForMs = uptimeMs - state.startedAtMs;
  if (runsForMs < listeningAfterMs) return notYet(readiness.port);
  const seen = await lookInside();
  if (seen && seen.listening.length > 0)
    known.elsewhere = followElsewhere(before, {
      ports: JSON.stringify(seen.listening),
      open: seen.listening.flatMap(({ port, isLocalOnly }) => (isLocalOnly || port === readiness.port ? [] : [port])),
      cpuMs: seen.cpuMs,
      atMs: uptimeMs,
    });
  const isStarting = (seen?.listening.length ?? 0) === 0 && runsForMs < startingMs;
  return isStarting ? notYet(readiness.port) : listeningReason(seen?.listening, readiness.port);
}

/** Describes a workload, without its address and last exit. */
export function describeProbed(known: ProbedWorkload, verdict: Verdict, at: Instants): ObservedWorkload {
  const { name, labels, state, probe } = known;
  const stuck = stuckOf(known);
  return {
    name,
    pod: labels.pod,
    revision: labels.revision,
    replica: labels.replica,
    fingerprint: labels.fingerprint,
    phase: state.phase,
    isReady: verdict.isReady,
    restarts: state.restarts,
    ...(!verdict.isReady && { notReadyBecause: verdict.because }),
    ...(!verdict.isReady && probe?.because?.body !== undefined && { healthCheckBody: probe.because.body }),
    ...(!verdict.isReady && verdict.hint !== undefined && { hint: verdict.hint }),
    ...(stuck && { stuck: { ...stuck, since: Math.round(at.nowMs - (at.uptimeMs - stuck.since)) } }),
  };
}

/** `since`: by the monotonic clock. */
function stuckOf({ probe, elsewhere, state }: ProbedWorkload): Stuck | undefined {
  if (state.exit || !probe || probe.isReady) return undefined;
  if (probe.unhealthySinceMs !== undefined) return { by: 'health-check', since: probe.unhealthySinceMs };
  return elsewhere && { by: 'listening', since: elsewhere.sinceMs, open: elsewhere.open };
}
