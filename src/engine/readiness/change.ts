/** Waits until a new observation may have another result. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Observed, Readiness, WorkloadName } from '../../deployment/workload/workload.ts';
import type { ContainerState } from './container-state.ts';
import { listeningAfterMs } from './listening.ts';
import type { Probe } from './probe.ts';
import { uptimeMissingMs } from './readiness.ts';

/** Pauses between attempts grow by this factor: attempts are frequent at first and rare for a slow application. */
const pauseGrowth = 1.3;

/** An unready workload is observed again when its age has grown by this factor, because the reason may have changed. */
const ageGrowth = 1.3;

/** The engine's events. */
export type Changes = {
  /** `sinceMs` (epoch): also returns earlier events since then, if the engine stores them. */
  listen(listener: (deploymentId: string) => void, signal: AbortSignal, sinceMs?: number): void;
  hasChangedSince(deploymentId: string, mark: number): boolean;
};

/** The last observation of a workload. */
export type LastObservation = {
  name: WorkloadName;
  labels: { readiness: Readiness };
  state: ContainerState;
  probe?: Probe;
  /** The last reported readiness. */
  reportedReady?: boolean;
};

/** When an observation began: the mark of the events before it, and the time (epoch). */
export type Mark = { event: number; atMs: number };

export type ChangeRequest = {
  deploymentId: string;
  observed: Observed;
  mark: Mark;
  known: LastObservation[];
  timeoutMs: number;
  signal: AbortSignal;
};

/**
 * Resolves at an event of the deployment since `mark`, when an unready workload becomes ready or may be unready for
 * another reason, after `timeoutMs`, or at the abort.
 */
export async function waitForChange(changes: Changes, request: ChangeRequest, uptime: () => number): Promise<void> {
  const { deploymentId, observed, mark, known, timeoutMs, signal } = request;
  if (signal.aborted || changes.hasChangedSince(deploymentId, mark.event)) return;
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  const unready = new Set(observed.workloads.filter(({ isReady }) => !isReady).map(({ name }) => name));
  const flips = known.filter(({ name }) => unready.has(name)).map((container) => waitForFlip(container, until, uptime));
  try {
    await Promise.race([
      ...flips,
      new Promise<void>((resolve) => {
        changes.listen((id) => id === deploymentId && resolve(), until, mark.atMs);
      }),
      pause(timeoutMs, until),
    ]);
  } finally {
    ended.abort();
  }
}

/** Resolves when the container has become ready. Exits and the image's own health checks are reported by events. */
async function waitForFlip(looked: LastObservation, until: AbortSignal, uptime: () => number): Promise<void> {
  const { labels, state, probe, reportedReady } = looked;
  if (probe) {
    const look = pause(nextCheckInMs(state, uptime()), until);
    // Something else delays it, such as a copy of its volumes. Events report the end of that.
    return reportedReady ? look : Promise.race([waitForProbe(probe, until), look]);
  }
  const countsUptime = labels.readiness.kind === 'running' && state.phase === 'running' && !state.health;
  return countsUptime ? pause(uptimeMissingMs(state, uptime()), until) : never();
}

function nextCheckInMs({ startedAtMs }: ContainerState, nowMs: number): number {
  const ageMs = nowMs - startedAtMs;
  return ageMs < listeningAfterMs ? listeningAfterMs - ageMs : ageMs * (ageGrowth - 1);
}

async function waitForProbe(probe: Probe, until: AbortSignal): Promise<void> {
  let pauseMs = probe.pausesMs.shortest;
  while (!until.aborted && !probe.isReady) {
    await pause(Math.max(probe.dueInMs(), pauseMs), until);
    if (until.aborted) return;
    await probe.attempt();
    pauseMs = Math.min(pauseMs * pauseGrowth, probe.pausesMs.longest);
  }
}

/** Ends early, without an error, at the abort. */
function pause(milliseconds: number, until: AbortSignal): Promise<void> {
  return delay(milliseconds, undefined, { signal: until }).catch(() => {});
}

function never(): Promise<void> {
  return new Promise(() => {});
}
