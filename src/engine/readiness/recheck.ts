/**
 * Whether containers that have been ready still are: between two visits nobody else asks, and the engine's events tell of
 * exits, not of a server that answers 500. There may be thousands, and they are hostile: each is asked once at a time and
 * not more often than its probe allows, and in a second only so many are, whoever is due. Only a change is told.
 */
import { wait } from '../../lib/wait.ts';
import type { Probe } from './probe.ts';

/** A period in a configuration may be shorter; this one is kept all the same. */
export const leastPeriodMs = 10_000;

const beatMs = 1_000;

/**
 * So many begin in a beat. Of a processor a request costs 0.4 ms, a look at a port 5, a command 50 (measured): together at
 * most a quarter of one. Where more are due, as with 2,000 pods or 20 with commands, their periods become longer, for all
 * alike.
 */
export const mostInBeat = { port: 10, http: 200, command: 2 };

/** PURE. Those to ask now: the longest unasked first. */
function dueAmong<T extends Pick<Probe, 'kind' | 'wasReady' | 'isAsked' | 'answeredAtMs' | 'dueInMs'>>(
  probes: readonly T[],
): T[] {
  const due = probes.filter((probe) => probe.wasReady && !probe.isAsked && probe.dueInMs() === 0);
  const kinds = Map.groupBy(due, ({ kind }) => kind);
  return [...kinds].flatMap(([kind, some]) =>
    some.toSorted((a, b) => a.answeredAtMs - b.answeredAtMs).slice(0, mostInBeat[kind]),
  );
}

export type Rechecked = {
  probe?: Probe;
  /** What was last told of the probe. */
  toldReady?: boolean;
};

/** `known`: what was seen last of each deployment. `tell`: called with its id when that is not so any more. */
export function recheck(known: Iterable<[string, Rechecked[]]>, tell: (deploymentId: string) => void): void {
  const probes: Probe[] = [];
  for (const [deploymentId, containers] of known) {
    for (const container of containers) {
      const { probe, toldReady } = container;
      if (!probe) continue;
      probes.push(probe);
      if (toldReady === undefined || toldReady === probe.isReady) continue;
      // Once: whoever looks says what it has seen, and whoever cannot look now is tried again anyway.
      container.toldReady = probe.isReady;
      tell(deploymentId);
    }
  }
  for (const probe of dueAmong(probes)) void probe.attempt();
}

/**
 * Goes on while at least one of those watches that it is called for, until their signals; once for all of them, however
 * many follow logs: what is asked in a beat is meant for the machine.
 */
export function createRechecks(
  allKnown: () => Iterable<[string, Rechecked[]]>,
  tell: (deploymentId: string) => void,
  pause = wait,
): (signal: AbortSignal) => void {
  let watching = 0;
  let unwatched = new AbortController();
  return (signal) => {
    if (signal.aborted) return;
    watching += 1;
    if (watching === 1) {
      unwatched = new AbortController();
      void recheckAgainAndAgain(allKnown, tell, unwatched.signal, pause);
    }
    const leave = () => {
      watching -= 1;
      if (watching === 0) unwatched.abort();
    };
    signal.addEventListener('abort', leave, { once: true });
  };
}

/** Ends at the abort. */
export async function recheckAgainAndAgain(
  allKnown: () => Iterable<[string, Rechecked[]]>,
  tell: (deploymentId: string) => void,
  signal: AbortSignal,
  pause = wait,
): Promise<void> {
  while (!signal.aborted) {
    await pause(beatMs, signal);
    if (!signal.aborted) recheck(allKnown(), tell);
  }
}
