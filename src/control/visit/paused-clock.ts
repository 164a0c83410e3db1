/** Measures the time without progress with a monotonic clock, because the wall clock may be set. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import type { Control } from '../control.ts';

export type PausedClock = {
  /**
   * Returns the milliseconds since this process first saw this progress. Time without a running process does not count.
   */
  lastingMs(deploymentId: string, progressedAt: Instant): number;
  forget(deploymentId: string): void;
};

/** `uptime`: milliseconds; never jumps. */
export function createPausedClock(uptime: () => number): PausedClock {
  const known = new Map<string, { progressedAt: Instant; reportedAt: number }>();
  return {
    lastingMs(deploymentId, progressedAt) {
      const before = known.get(deploymentId);
      if (before?.progressedAt === progressedAt) return uptime() - before.reportedAt;
      known.set(deploymentId, { progressedAt, reportedAt: uptime() });
      return 0;
    },
    forget: (deploymentId) => void known.delete(deploymentId),
  };
}

/** Returns since when nothing has changed, in epoch milliseconds of the clock of `now`. */
export function stillSince({ id, progressedAt }: Deployment, now: Instant, { pausedClock }: Control): Instant {
  return pausedClock ? now - pausedClock.lastingMs(id, progressedAt) : progressedAt;
}
