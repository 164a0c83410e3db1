/** PURE. A queue with a separate line per client, so that a client that sends much only delays itself. */

export type FairQueue<T> = {
  /** False when this client's line is full. */
  put(client: string, entry: T): boolean;
  /** Returns the next entry of the client that has waited longest, among clients with fewer than `atOnce` entries taken. */
  take(): { client: string; entry: T } | undefined;
  /** Call it when the work on a taken entry has ended. */
  done(client: string): void;
  /** Removes all waiting entries and returns them. */
  clear(): T[];
};

/**
 * `max`: the maximum number of waiting entries per client. `atOnce`: the number of entries of one client that are taken
 * and not done.
 */
export function createFairQueue<T>({ max, atOnce = 1 }: { max: number; atOnce?: number }): FairQueue<T> {
  const lines = new Map<string, T[]>();
  const taken = new Map<string, number>();

  return {
    put(client, entry) {
      const line = lines.get(client) ?? [];
      if (line.length >= max) return false;
      line.push(entry);
      lines.set(client, line);
      return true;
    },
    take() {
      for (const [client, line] of lines) {
        const busy = taken.get(client) ?? 0;
        if (busy >= atOnce) continue;
        const entry = line.shift()!;
        // A client with more entries goes to the end.
        lines.delete(client);
        if (line.length > 0) lines.set(client, line);
        taken.set(client, busy + 1);
        return { client, entry };
      }
      return undefined;
    },
    done(client) {
      const left = taken.get(client)! - 1;
      if (left > 0) taken.set(client, left);
      else taken.delete(client);
    },
    clear() {
      const waiting = [...lines.values()].flat();
      lines.clear();
      return waiting;
    },
  };
}
