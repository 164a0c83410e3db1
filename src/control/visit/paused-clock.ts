/** How long nothing has moved, by a clock that never jumps: the machine's may be set meanwhile. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import type { Control } from '../control.ts';

export type PausedClock = {
  /**
   * Milliseconds since this process first heard of this progress. Time without a process that works on the deployment
   * does not count.
   */
  lastingMs(deploymentId: string, progressedAt: Instant): number;
  forget(deploymentId: string): void;
};

/** `uptime`: milliseconds since some instant. */
export function createPausedClock(uptime: () => number): PausedClock {
  const known = new Map<string, { progressedAt: Instant; heardAt: number }>();
  return {
    lastingMs(deploymentId, progressedAt) {
      const before = known.get(deploymentId);
      if (before?.progressedAt === progressedAt) return uptime() - before.heardAt;
      known.set(deploymentId, { progressedAt, heardAt: uptime() });
      return 0;
    },
    forget: (deploymentId) => void known.delete(deploymentId),
  };
}

/** Since when (epoch, by the clock that says `now`) nothing has moved. */
export function stillSince({ id, progressedAt }: Deployment, now: Instant, { pausedClock }: Control): Instant {
  return pausedClock ? now - pausedClock.lastingMs(id, progressedAt) : progressedAt;
}
