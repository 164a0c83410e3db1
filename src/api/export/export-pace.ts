/** The minimum speed of reading an export, because an export occupies a copy of volumes on the disk of the server. */
import type { ServerResponse } from 'node:http';

export type ExportPace = {
  /** The speed is not checked for this long. */
  graceMs: number;
  /** On the whole, after that. */
  leastBytesPerMs: number;
  /** In each such time something is taken. */
  idleMs: number;
};

/** 1 MB/s. */
const usualPace: ExportPace = { graceMs: 600_000, leastBytesPerMs: 1_000, idleMs: 60_000 };

/** The maximum delay of a timer in Node: 25 days. */
const longestMs = 2 ** 31 - 1;

/** Aborts when its reader is too slow. */
export function untilTooSlow(response: ServerResponse, sizeBytes: number, pace = usualPace): AbortSignal {
  const idle = new AbortController();
  // The system counts what has left: a socket of which nothing is taken is idle, however much waits in it.
  response.setTimeout(pace.idleMs, () => {
    if (response.writableNeedDrain) idle.abort();
  });
  const wholeMs = Math.min(pace.graceMs + Math.ceil(sizeBytes / pace.leastBytesPerMs), longestMs);
  return AbortSignal.any([idle.signal, AbortSignal.timeout(wholeMs)]);
}
