/** Simulated time: nothing really waits, and a day may pass in a millisecond. */
import type { Wait } from '../../src/lib/wait.ts';

/** More wake-ups than any story needs, without those of idle processes: a story above it is in a loop. */
const maxTimers = 50_000;
/** These have some 11 in each second. */
const maxTimersPerSecond = 20;

type Timer = { at: number; number: number; fire: () => void };

export type Clock = {
  /** The wall clock, which may be set. */
  now(): number;
  /** Sets the clock on the wall by so many milliseconds, back where they are negative. */
  set(byMs: number): void;
  /** Milliseconds that have really passed. */
  elapsed(): number;
  wait: Wait;
  /** Lets time pass, and everything happen that happens in it. */
  pass(ms: number): Promise<void>;
};

export function createClock(startAt: number): Clock {
  let elapsed = 0;
  let offset = startAt;
  let count = 0;
  const timers = new Set<Timer>();

  function next(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) {
      const isEarlier = !first || timer.at < first.at || (timer.at === first.at && timer.number < first.number);
      if (timer.at <= until && isEarlier) first = timer;
    }
    return first;
  }

  return {
    now: () => elapsed + offset,
    set: (byMs) => {
      offset += byMs;
    },
    elapsed: () => elapsed,

    wait: (ms, signal) => {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const end = () => {
          timers.delete(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer: Timer = { at: elapsed + Math.max(0, ms), number: count++, fire: end };
        timers.add(timer);
        signal?.addEventListener('abort', end);
      });
    },

    async pass(ms) {
      const until = elapsed + ms;
      for (;;) {
        await everythingElse();
        if (count > maxTimers + (elapsed / 1000) * maxTimersPerSecond) throw new Error('it goes round in circles');
        const timer = next(until);
        if (!timer) break;
        elapsed = timer.at;
        timer.fire();
      }
      elapsed = until;
    },
  };
}

/** The store and the engine are in memory: work that does not wait for this clock is over at the end of this turn. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
