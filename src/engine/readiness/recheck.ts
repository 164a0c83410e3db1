/**
 * Checks whether ready containers are still ready. Between two visits, nothing else checks them, and the engine's
 * events report exits but not a server that responds with 500. There may be thousands of hostile containers, so each
 * has one check at a time, at its probe's interval, and the number of checks per second is limited. Only changes are
 * reported.
 */
import { wait } from '../../lib/wait.ts';
import type { Probe } from './probe.ts';

/** The minimum period, even if a configuration has a shorter one. */
export const minPeriodMs = 10_000;

const beatMs = 1_000;

/**
 * Checks per beat. A request takes 0.4 ms of a processor, reading a port 5 ms, a command 50 ms (measured), so all
 * together take at most a quarter of a processor. If more checks are due (2,000 pods, or 20 with commands), all periods
 * become longer.
 */
export const maxInBeat = { port: 10, http: 200, command: 2 };

/** PURE. Returns the probes to check now, those with the oldest result first. */
function dueAmong<T extends Pick<Probe, 'kind' | 'wasReady' | 'isRunning' | 'answeredAtMs' | 'dueInMs'>>(
  probes: readonly T[],
): T[] {
  const due = probes.filter((probe) => probe.wasReady && !probe.isRunning && probe.dueInMs() === 0);
  const kinds = Map.groupBy(due, ({ kind }) => kind);
  return [...kinds].flatMap(([kind, some]) =>
    some.toSorted((a, b) => a.answeredAtMs - b.answeredAtMs).slice(0, maxInBeat[kind]),
  );
}

export type Rechecked = {
  probe?: Probe;
  /** The last reported readiness. */
  reportedReady?: boolean;
};

/** `known`: the last observations. `notify`: called with the ID of a deployment that has changed since. */
export function recheck(known: Iterable<[string, Rechecked[]]>, notify: (deploymentId: string) => void): void {
  const probes: Probe[] = [];
  for (const [deploymentId, containers] of known) {
    for (const container of containers) {
      const { probe, reportedReady } = container;
      if (!probe) continue;
      probes.push(probe);
      if (reportedReady === undefined || reportedReady === probe.isReady) continue;
      // Reported once: the next observation sets it again, and a failed visit is retried anyway.
      container.reportedReady = probe.isReady;
      notify(deploymentId);
    }
  }
  for (const probe of dueAmong(probes)) void probe.attempt();
}

/**
 * Runs while at least one caller watches, until its signal aborts. All callers share one series of beats, because the
 * limit per beat applies to the machine.
 */
export function createRechecks(
  allKnown: () => Iterable<[string, Rechecked[]]>,
  notify: (deploymentId: string) => void,
  pause = wait,
): (signal: AbortSignal) => void {
  let watching = 0;
  let unwatched = new AbortController();
  return (signal) => {
    if (signal.aborted) return;
    watching += 1;
    if (watching === 1) {
      unwatched = new AbortController();
      void startRechecks(allKnown, notify, unwatched.signal, pause);
    }
    const leave = () => {
      watching -= 1;
      if (watching === 0) unwatched.abort();
    };
    signal.addEventListener('abort', leave, { once: true });
  };
}

/** Ends at the abort. */
export async function startRechecks(
  allKnown: () => Iterable<[string, Rechecked[]]>,
  notify: (deploymentId: string) => void,
  signal: AbortSignal,
  pause = wait,
): Promise<void> {
  while (!signal.aborted) {
    await pause(beatMs, signal);
    if (!signal.aborted) recheck(allKnown(), notify);
  }
}
