/**
 * Background work that repeats while a service runs: checks, deliveries, renewals. Each kind has its own pause, starts
 * sooner on request, and slows down while it fails. Pauses are random, so that processes that fail together do not
 * retry together.
 */
import type { Metrics } from './metrics.ts';
import { wait as reallyWait, type Wait } from './wait.ts';

export type RoundsOptions = {
  /** Names the work in metrics, e.g. `notifications`. */
  name: string;
  /**
   * Milliseconds between the end of one round and the beginning of the next. A function is a schedule: its pauses are
   * exact, and faults do not lengthen them.
   */
  everyMs: number | (() => number);
  /** The longest pause while the work fails; default: 30 s, or `everyMs` if that is longer. */
  longestMs?: number;
  /** The first round starts after a pause, not at once. */
  isDelayed?: boolean;
  work: () => Promise<unknown>;
  /** Called with the first of consecutive faults. */
  onFault: (error: unknown) => void;
  /** With a duty, only one of several processes does the work. Default: each process does it. */
  duty?: HeldDuty | undefined;
  /** Ends the rounds, as disposing them does. */
  signal?: AbortSignal | undefined;
  metrics?: Pick<Metrics, 'rounds'> | undefined;
  wait?: Wait;
  /** From 0 to below 1. */
  random?: () => number;
};

/** Work that one process does for all. */
export type HeldDuty = {
  /** Returns whether this process holds the duty. */
  take(): Promise<boolean>;
  /** Releases the duty, so that another process can acquire it immediately. */
  leave(): Promise<void>;
};

/** Disposing of them waits for the current round, and releases the duty. */
export type Rounds = AsyncDisposable & {
  /** Starts the next round now, or right after the current one. */
  soon(): void;
  /** Resolves when the last round has ended. */
  ended: Promise<void>;
};

const longestPauseMs = 30_000;

export function runRounds({
  name,
  everyMs,
  longestMs,
  isDelayed,
  work,
  onFault,
  duty,
  signal,
  metrics,
  ...parts
}: RoundsOptions): Rounds {
  const { wait = reallyWait, random = Math.random } = parts;
  const ending = new AbortController();
  const end = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  let pause = new AbortController();
  const pauseAfter = (failures: number) =>
    typeof everyMs === 'function' ? everyMs() : pauseMs(everyMs, failures, random, longestMs);
  const round = reportingFirstFault(
    async () => {
      if (!duty || (await duty.take())) await work();
    },
    (error) => end.aborted || onFault(error),
  );

  async function run(): Promise<void> {
    let failures = 0;
    if (isDelayed) await wait(pauseAfter(0), AbortSignal.any([end, pause.signal]));
    while (!end.aborted) {
      pause = new AbortController();
      const wentWell = await round();
      metrics?.rounds.inc({ name, ended: wentWell ? 'well' : 'with a fault' });
      failures = wentWell ? 0 : failures + 1;
      await wait(pauseAfter(failures), AbortSignal.any([end, pause.signal]));
    }
  }

  const ended = run();
  return {
    ended,
    soon: () => pause.abort(),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await ended;
      await duty?.leave().catch(() => {});
    },
  };
}

/**
 * PURE. Returns the milliseconds to the next round: `everyMs` plus or minus a tenth, doubled with each consecutive
 * fault up to `longestMs`.
 */
export function pauseMs(
  everyMs: number,
  failures: number,
  random: () => number,
  longestMs = Math.max(everyMs, longestPauseMs),
): number {
  return Math.min(everyMs * 2 ** Math.min(failures, 20), longestMs) * (0.9 + random() / 5);
}

/** For work that is done again and again, whether it went well or not: a guard, a watch. */

/**
 * Returns the same work as a function that never rejects and returns whether it succeeded. Only the first of
 * consecutive failures is reported.
 */
export function reportingFirstFault<Args extends unknown[]>(
  work: (...args: Args) => Promise<unknown>,
  onFault: (error: unknown) => void,
): (...args: Args) => Promise<boolean> {
  let wentWell = true;
  return async (...args) => {
    try {
      await work(...args);
      wentWell = true;
    } catch (error) {
      if (wentWell) onFault(error);
      wentWell = false;
    }
    return wentWell;
  };
}
