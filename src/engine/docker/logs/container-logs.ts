/** The past and new output of a container. */
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { WorkloadName } from '../../../deployment/workload/workload.ts';
import { createBackoff } from '../../../lib/backoff.ts';
import { createSemaphore, serializeByKey } from '../../../lib/concurrency.ts';
import { EngineFault, type LogLine, type LogsFollowed, type LogsWanted, type WrittenText } from '../../engine.ts';
import { isOwnedBy, labelKeys } from '../../labels.ts';
import { createMarker, type StampedLine, sinceOf } from '../../logs/log-marks.ts';
import { newestLines } from '../../logs/newest-lines.ts';
import { engineUnresponsive, faultOf, orAbsent } from '../faults.ts';
import { createLineReader } from './log-lines.ts';

/** Docker stores lines in pieces of at most 16 KiB, so 1,000 of them are 16 MiB at the very worst. */
const maxLines = 1_000;

/**
 * Lines before an instant are searched in this many last lines, and in eight times as many while there are too few:
 * most restarted containers have written little since. Older lines are not searched: reading 30 MB for a few lines, for
 * each request, is too expensive.
 */
const minEarlierTail = 1_000;
const maxEarlierTail = 64_000;
const earlierGrowth = 8;
const maxEarlierBytes = 8 * 2 ** 20;

/** Additional lines before the last ones, so that lines with the same timestamp are numbered from their first. */
const moreLines = 32;

/** Docker waits at least this long between the end of a start, when all of its lines are stored, and the next start. */
const shortestBackOffMs = 100;

/** On an idle host, all stored output of a container (30 MB) is read within half a second. */
const readPatienceMs = 60_000;

/** The interval of checks for a restart of the container. */
const pauses = { firstMs: 100, longestMs: 1_000 };

/** Docker's answer to a request for the logs of a container that is being removed. */
const beingRemoved = 409;

/** The number of concurrent searches for older lines. A deployment has at most one. */
const longReadsAtOnce = 2;

export type LogReader = (name: WorkloadName, wanted: LogsWanted) => Promise<LogLine[]>;

/**
 * Reads the last `tail` lines of both outputs in the order of storage. Returns [] if the installation has no such
 * container.
 */
export function createLogReader(docker: Docker, owner: string): LogReader {
  const inTurn = serializeByKey();
  const gate = createSemaphore(longReadsAtOnce);

  return async (name, { tail, since, until = Number.POSITIVE_INFINITY, matches, isPrevious = false, signal }) => {
    const lines = Math.min(Math.max(0, Math.trunc(tail)), maxLines);
    const found = await findOwn(docker, owner, name);
    if (!found || lines === 0) return [];
    const { Id, State, Config } = found;
    // Docker's timestamps have nanoseconds, which are truncated here.
    const last = Math.min(until + 1, isPrevious ? previousEndMs(State) : Number.POSITIVE_INFINITY);
    const query = {
      ...(since !== undefined && { since: seconds(since) }),
      ...(Number.isFinite(last) && { until: seconds(last) }),
    };
    if (!matches && !Number.isFinite(last)) {
      const { kept } = await readPart(docker, Id, { ...query, tail: lines + moreLines }, { lines });
      return newestLines(kept);
    }
    const read = async () => {
      if (signal?.aborted) return [];
      if (!matches) return await readEarlier(docker, Id, query, lines);
      return (await readPart(docker, Id, query, { lines, matches, signal })).kept;
    };
    return newestLines(await inTurn(Config.Labels[labelKeys.deployment] ?? '', () => gate(read)));
  };
}

/** Docker applies the tail first, and then the time limit. */
async function readEarlier(docker: Docker, containerId: string, query: object, lines: number): Promise<LogLine[]> {
  let best: LogLine[] = [];
  for (let tail = Math.max(lines, minEarlierTail); tail <= maxEarlierTail; tail *= earlierGrowth) {
    const limits = { lines, maxBytes: maxEarlierBytes };
    const { kept, isCut } = await readPart(docker, containerId, { ...query, tail: tail + moreLines }, limits);
    // The oldest lines come first. A truncated response lacks the wanted ones.
    if (isCut) return best;
    best = kept;
    if (best.length === lines) break;
  }
  return best;
}

type PartLimits = {
  lines: number;
  maxBytes?: number;
  matches?: (line: WrittenText) => boolean;
  signal?: AbortSignal | undefined;
};

/** Reads the last `lines` of a response that match. A response longer than `maxBytes` is truncated. */
async function readPart(
  docker: Docker,
  containerId: string,
  query: object,
  { lines, maxBytes = Number.POSITIVE_INFINITY, matches = () => true, signal }: PartLimits,
): Promise<{ kept: LogLine[]; isCut: boolean }> {
  const patience = AbortSignal.timeout(readPatienceMs);
  const mark = createMarker(containerId);
  const kept: LogLine[] = [];
  const read = { bytes: 0 };
  try {
    const stream = await openLogs(docker, containerId, query, patience);
    for await (const line of linesOf(stream, read)) {
      if (read.bytes > maxBytes || signal?.aborted) return { kept, isCut: true };
      const marked = mark(line)!;
      if (!matches(marked)) continue;
      kept.push(marked);
      if (kept.length > lines) kept.shift();
    }
  } catch (error) {
    throw patience.aborted ? new EngineFault('unavailable', engineUnresponsive, { cause: error }) : error;
  }
  return { kept, isCut: false };
}

/** See `Engine.followLogs`. Docker ends a stream of lines with each exit of the container. */
export async function* followLogs(
  docker: Docker,
  owner: string,
  name: WorkloadName,
  { since, after }: LogsFollowed,
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  let last = after;
  let readStart: string | undefined;
  const backoff = createBackoff(pauses);
  try {
    while (!signal.aborted) {
      const found = await findOwn(docker, owner, name);
      if (!found || signal.aborted) return;
      const { StartedAt, Running } = found.State;
      if (StartedAt !== readStart) {
        for await (const line of linesAfter(docker, found, { since, after: last }, signal)) {
          last = line.mark;
          yield line;
        }
        readStart = StartedAt;
        backoff.reset();
        continue;
      }
      // Also true between two starts. A container that ended and is not restarted by the engine stays ended.
      if (!Running) return;
      await delay(backoff.next(), undefined, { signal });
      // The stream ended but the container did not, so continue reading.
      if (!found.State.Restarting) readStart = undefined;
    }
  } catch (error) {
    if (!signal.aborted) throw faultOf(error);
  }
}

async function* linesAfter(
  docker: Docker,
  { Id, State }: Docker.ContainerInspectInfo,
  { since = Number.NEGATIVE_INFINITY, after }: LogsFollowed,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const from = sinceOf(after, Id, Date.parse(State.StartedAt)) ?? since;
  const query = { follow: true, ...(Number.isFinite(from) && { since: seconds(from) }) };
  const mark = createMarker(Id, after);
  for await (const stored of linesOf(await openLogs(docker, Id, query, signal))) {
    const line = mark(stored);
    if (line && line.at >= since) yield line;
  }
}

async function* linesOf(stream: Readable | undefined, read = { bytes: 0 }): AsyncGenerator<StampedLine> {
  if (!stream) return;
  const reader = createLineReader();
  try {
    for await (const chunk of stream) {
      read.bytes += (chunk as Buffer).length;
      yield* reader.push(chunk as Buffer);
    }
    yield* reader.end();
  } finally {
    stream.destroy();
  }
}

/**
 * Opens both outputs as a stream. Undefined if the container was removed. The client's own function is not used,
 * because it holds a finite response of any length in memory.
 */
async function openLogs(
  docker: Docker,
  containerId: string,
  query: object,
  abortSignal: AbortSignal,
): Promise<Readable | undefined> {
  const opened = new Promise<Readable>((resolve, reject) => {
    docker.modem.dial(
      {
        path: `/containers/${containerId}/logs?`,
        method: 'GET',
        isStream: true,
        options: { stdout: true, stderr: true, timestamps: true, ...query },
        statusCodes: { 200: true, 404: 'no such container', 409: 'it is being removed', 500: 'server error' },
        abortSignal,
      },
      (error, stream) => (error ? reject(error as Error) : resolve(stream as Readable)),
    );
  });
  return await orAbsent(opened, beingRemoved);
}

/** Returns when the previous start ended. Before all lines if there was only one start. */
function previousEndMs({ StartedAt, FinishedAt }: Docker.ContainerInspectInfo['State']): number {
  // Year 1 means that it never was.
  const startedAtMs = Math.max(2 * shortestBackOffMs, Date.parse(StartedAt));
  const finishedAtMs = Math.max(0, Date.parse(FinishedAt));
  // The last start has ended, too. Docker does not keep the end of the start before it.
  return finishedAtMs >= startedAtMs ? startedAtMs - shortestBackOffMs : finishedAtMs + shortestBackOffMs;
}

async function findOwn(
  docker: Docker,
  owner: string,
  name: WorkloadName,
): Promise<Docker.ContainerInspectInfo | undefined> {
  const found = await orAbsent(docker.getContainer(name).inspect());
  return found && isOwnedBy(owner, found.Config.Labels) ? found : undefined;
}

/** Docker reads fractions of a second, though its description says seconds. */
function seconds(instant: number): string {
  return (instant / 1000).toFixed(3);
}
