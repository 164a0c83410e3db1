import type { ControlSettings } from '../../src/control/control.ts';

const minute = 60_000;

/**
 * As `main.ts` has them, but for a shorter deadline, fewer looks while nothing happens, and none by which a deployment
 * that seemed to be well is mended within a run.
 */
export const settings: ControlSettings = {
  deployDeadlineMs: 5 * minute,
  listenPatienceMs: 30_000,
  drainMs: 200,
  leaseMs: 15_000,
  pollMs: minute,
  resyncMs: 2 * minute,
  revisitMs: 30 * minute,
  imageDiskShare: 0.85,
  diskFreeBytes: 1000,
  containerDiskBytes: 2 ** 30,
  graceMs: 0,
  sleep: { freezeAfterMs: 0, freezeClaimedAfterMs: 0, stopAfterMs: 0 },
};

export const limits = { lifetimeMs: 60 * minute, extensionMs: 60 * minute, extensions: 2 };
