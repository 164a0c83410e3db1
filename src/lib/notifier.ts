/** Notifications by key. A waiter is woken by the next notification, or by one just before it waited. */
import { wait } from './wait.ts';

export type Subscription = Disposable & {
  /** Resolves when it has rung since the last call, or after `ms`, or at the abort. */
  next(ms: number, stop: AbortSignal): Promise<void>;
};

export type Notifier = {
  /** Wakes all who listen to the key. */
  notify(key: string): void;
  /** Receives notifications until it is disposed of. */
  listen(key: string): Subscription;
};

export function createNotifier(): Notifier {
  const listening = new Map<string, Set<() => void>>();

  return {
    notify(key) {
      for (const wake of listening.get(key) ?? []) wake();
    },

    listen(key) {
      let hasChanged = false;
      let wake = () => {};
      const onNotify = () => {
        hasChanged = true;
        wake();
      };
      const all = listening.get(key) ?? new Set();
      listening.set(key, all.add(onNotify));
      return {
        async next(ms, stop) {
          const wakeup = new AbortController();
          wake = () => wakeup.abort();
          if (!hasChanged) await wait(ms, AbortSignal.any([stop, wakeup.signal]));
          hasChanged = false;
        },
        [Symbol.dispose]() {
          all.delete(onNotify);
          if (all.size === 0 && listening.get(key) === all) listening.delete(key);
        },
      };
    },
  };
}
