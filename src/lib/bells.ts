/** Notifications by key: a waiter is woken by the next one, or by one that came just before. */
import { wait } from './wait.ts';

export type Bell = Disposable & {
  /** Resolves when it has rung since the last call, or after `ms`, or at the abort. */
  next(ms: number, stop: AbortSignal): Promise<void>;
};

export type Bells = {
  /** Wakes all who listen to the key. */
  ring(key: string): void;
  /** It hears from now on, until it is disposed of. */
  listen(key: string): Bell;
};

export function createBells(): Bells {
  const listening = new Map<string, Set<() => void>>();

  return {
    ring(key) {
      for (const wake of listening.get(key) ?? []) wake();
    },

    listen(key) {
      let hasRung = false;
      let wake = () => {};
      const hear = () => {
        hasRung = true;
        wake();
      };
      const all = listening.get(key) ?? new Set();
      listening.set(key, all.add(hear));
      return {
        async next(ms, stop) {
          const ringing = new AbortController();
          wake = () => ringing.abort();
          if (!hasRung) await wait(ms, AbortSignal.any([stop, ringing.signal]));
          hasRung = false;
        },
        [Symbol.dispose]() {
          all.delete(hear);
          if (all.size === 0 && listening.get(key) === all) listening.delete(key);
        },
      };
    },
  };
}
