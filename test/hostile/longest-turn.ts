/** The length of the longest turn of this process's event loop during some work. Other work waits that long. */

/** Milliseconds of this thread's processor time in the longest turn. */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longestUs = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestUs = Math.max(longestUs, user + system);
    before = process.threadCpuUsage();
  };
  // The thread that reads is to have the processor: a guard of `setImmediate` would take a whole one.
  const guard = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(guard);
  }
  look();
  return longestUs / 1000;
}
