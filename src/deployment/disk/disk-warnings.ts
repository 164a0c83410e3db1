/** PURE. Current warnings about a deployment's disk, from its events. */
import type { Instant } from '../deployment.ts';
import type { EventOf } from '../event/event.ts';
import { describeEvent } from '../event/event-text.ts';
import type { Level } from './disk-levels.ts';

/**
 * The time during which an eviction is shown as a warning, equal to the time during which it counts toward the limit.
 */
const stoppedMs = 60 * 60_000;

export type DiskWarning = {
  at: Instant;
  message: string;
  volume?: string;
  level?: Exclude<Level, 'roomy'>;
  percent?: number;
  /** The evicted pod. */
  pod?: string;
};

/**
 * `reported`: the events about the disk, latest first. The last level of each volume and the last eviction of each pod
 * count.
 */
export function diskWarnings(reported: readonly (EventOf<'disk'> & { at: Instant })[], now: Instant): DiskWarning[] {
  const seen = new Set<string>();
  return reported.flatMap((event): DiskWarning[] => {
    const subject =
      event.disk === 'level' ? `volume ${event.volume}` : event.disk === 'stopped' ? event.pod : undefined;
    if (subject === undefined || seen.has(subject)) return [];
    seen.add(subject);
    const warning = { at: event.at, message: describeEvent(event) };
    if (event.disk === 'stopped') return now - event.at < stoppedMs ? [{ ...warning, pod: event.pod }] : [];
    if (event.disk !== 'level' || event.level === 'roomy') return [];
    return [{ ...warning, volume: event.volume, level: event.level, percent: event.percent }];
  });
}
