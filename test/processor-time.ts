/** How long work takes, by the processor: the clock also counts whatever else the machine does meanwhile. */

/** Runs it `attempts` times and returns the quickest, in milliseconds of all threads of this process. */
export function timed<T>(work: () => T, attempts = 1): { value: T; ms: number } {
  const runs = Array.from({ length: attempts }, () => {
    const before = process.cpuUsage();
    const value = work();
    const { user, system } = process.cpuUsage(before);
    return { value, ms: (user + system) / 1000 };
  });
  return runs.toSorted((a, b) => a.ms - b.ms)[0]!;
}
