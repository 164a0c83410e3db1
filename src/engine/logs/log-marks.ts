/**
 * PURE. Marks of lines in a container's log, and continuing after a mark. Docker returns all lines since a timestamp,
 * and a line has no other identity. Several lines may have the same timestamp, lines of the two outputs are not exactly
 * in order, and the host's clock may have been set back.
 */
import type { Instant } from '../../deployment/deployment.ts';
import type { LogLine, LogMark, WrittenText } from '../engine.ts';

/** `stamp`: Docker's own, to the nanosecond. */
export type StampedLine = WrittenText & { at: Instant; stamp: string };

/** The two outputs are stamped in parallel and stored one after the other, so a later line may be slightly older. */
const toleranceMs = 1_000;

/**
 * The number of timestamps that are remembered to number their lines. Lines of two outputs with a larger distance are
 * not of the same instant.
 */
const maxStamps = 256;

/** `ordinal`: of those with this stamp; `latestMs`: the latest stamp of all lines up to it. */
type Position = { containerId: string; stamp: string; ordinal: number; latestMs: Instant };

/** The `since` of a request that continues after a mark. */
export function sinceOf(after: LogMark | undefined, containerId: string, startedAtMs: Instant): Instant | undefined {
  const position = readMark(after, containerId);
  if (!position) return undefined;
  // The start is before the last line, because the clock was set back in between. The lines of this start are older,
  // too.
  return Math.min(Date.parse(position.stamp), startedAtMs) - toleranceMs;
}

/**
 * Marks lines in the order of reading. Returns undefined for lines up to the mark `after`. `lines` must begin at
 * `sinceOf`. If Docker has dropped the log file with the marked line, all lines later than the mark count as new.
 */
export function createMarker(containerId: string, after?: LogMark): (line: StampedLine) => LogLine | undefined {
  const counts = new Map<string, number>();
  let sought = readMark(after, containerId);
  let latestMs = sought?.latestMs ?? Number.NEGATIVE_INFINITY;

  return ({ at, stamp, ...written }) => {
    const ordinal = (counts.get(stamp) ?? 0) + 1;
    counts.set(stamp, ordinal);
    if (counts.size > maxStamps) counts.delete(counts.keys().next().value!);
    if (sought) {
      const isFound = sought.stamp === stamp && sought.ordinal === ordinal;
      if (isFound) sought = undefined;
      if (isFound || at <= latestMs + toleranceMs) return undefined;
      sought = undefined;
    }
    latestMs = Math.max(latestMs, at);
    return { at, ...written, mark: printMark({ containerId, stamp, ordinal, latestMs }) };
  };
}

function printMark({ containerId, stamp, ordinal, latestMs }: Position): LogMark {
  return [containerId, stamp, ordinal, latestMs].join(' ');
}

/** Undefined when it is another container's. */
function readMark(mark: LogMark | undefined, containerId: string): Position | undefined {
  const [ofContainer, stamp = '', ordinal, latestMs] = mark?.split(' ') ?? [];
  return ofContainer === containerId
    ? { containerId, stamp, ordinal: Number(ordinal), latestMs: Number(latestMs) }
    : undefined;
}
