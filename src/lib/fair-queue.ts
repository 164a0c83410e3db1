/** PURE. A queue in which everybody has a line of their own: who sends much makes nobody wait but themselves. */

export type FairQueue<T> = {
  /** False when this client's line is full. */
  put(client: string, entry: T): boolean;
  /** The next entry of whoever has waited longest of those for whom nothing is done yet; `done` ends that. */
  take(): { client: string; entry: T } | undefined;
  done(client: string): void;
  /** Removes all that wait, and returns them. */
  clear(): T[];
};

/** @param max entries of one client that wait. Clients without any cost nothing. */
export function createFairQueue<T>(max: number): FairQueue<T> {
  const lines = new Map<string, T[]>();
  const served = new Set<string>();

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
        if (served.has(client)) continue;
        const entry = line.shift()!;
        // Whoever has more goes to the end.
        lines.delete(client);
        if (line.length > 0) lines.set(client, line);
        served.add(client);
        return { client, entry };
      }
      return undefined;
    },
    done: (client) => void served.delete(client),
    clear() {
      const waiting = [...lines.values()].flat();
      lines.clear();
      return waiting;
    },
  };
}
