/** What its owner has to know of a deployment's disk now, from what was told of it. Pure. */
import type { Instant } from '../deployment.ts';
import type { EventOf } from '../event/event.ts';
import { describeEvent } from '../event/event-words.ts';
import type { Level } from './disk-levels.ts';

/** A pod that was stopped for what it wrote is warned of for so long: as long as that counts against it. */
const stoppedMs = 60 * 60_000;

export type DiskWarning = {
  at: Instant;
  message: string;
  volume?: string;
  level?: Exclude<Level, 'roomy'>;
  percent?: number;
  /** The pod that was stopped. */
  pod?: string;
};

/** `told`: the events of the disk, last told first. Of a volume the last level counts, of a pod its last stop. */
export function diskWarnings(told: readonly (EventOf<'disk'> & { at: Instant })[], now: Instant): DiskWarning[] {
  const seen = new Set<string>();
  return told.flatMap((event): DiskWarning[] => {
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
