/**
 * Runs one task at a time on the newest value. Values that arrive during a run wait together, and only the newest is
 * used.
 */

type Waiting<T> = { value: T; callers: { resolve: () => void; reject: (error: unknown) => void }[] };

/**
 * @returns a function whose promise settles with the first run that began with its value or a newer one. At any time,
 * at most one run is in progress and one is waiting.
 */
export function latestOnly<T>(run: (value: T) => Promise<void>): (value: T) => Promise<void> {
  let waiting: Waiting<T> | undefined;
  let isRunning = false;

  async function drain(): Promise<void> {
    isRunning = true;
    while (waiting) {
      const { value, callers } = waiting;
      waiting = undefined;
      try {
        await run(value);
        for (const caller of callers) caller.resolve();
      } catch (error) {
        for (const caller of callers) caller.reject(error);
      }
    }
    isRunning = false;
  }

  return (value) =>
    new Promise((resolve, reject) => {
      waiting = { value, callers: [...(waiting?.callers ?? []), { resolve, reject }] };
      if (!isRunning) void drain();
    });
}
