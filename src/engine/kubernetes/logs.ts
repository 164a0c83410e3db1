/** The past and new output of a workload in each start of its container. Nodes keep the output of two starts. */
import type { Readable } from 'node:stream';
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import { wait } from '../../lib/wait.ts';
import type { LogLine, LogsFollowed, LogsWanted } from '../engine.ts';
import { createMarker, type StampedLine, sinceOf } from '../logs/log-marks.ts';
import { newestLines } from '../logs/newest-lines.ts';
import { type Cache, findPods } from './cache.ts';
import { type Cluster, pathOf, type Query } from './cluster.ts';
import { ClusterRefusal, faultOf } from './faults.ts';
import { containerName } from './manifests/workload.ts';
import { namespaceName } from './names.ts';
import type { FoundPod, Terminated } from './objects.ts';

/** One start of a container of the workload, whose log is still on a node. */
export type Start = {
  id: string;
  pod: string;
  startedAtMs: number;
  /** Whether it is the start before the last one of its pod. */
  isPrevious: boolean;
  /** Whether the start has ended, so that it writes no more lines. */
  hasEnded: boolean;
  /** Whether it is the first start. The node begins the next one without a pause. */
  isFirst: boolean;
  /** The last line was written before this. Absent if its end has no date. */
  endedBeforeMs?: number;
};

export type LogReader = {
  read(name: WorkloadName, wanted: LogsWanted): Promise<LogLine[]>;
  follow(name: WorkloadName, wanted: LogsFollowed, signal: AbortSignal): AsyncIterable<LogLine>;
};

const maxLines = 1_000;
/** A line that goes on for longer is cut. */
const longestLine = 64 * 1024;
/** The cluster dates an end to the second. */
const endDatedMs = 1_000;
/** The most that is read of one start. */
const maxBytes = 16 * 2 ** 20;
const readPatienceMs = 60_000;
const pauseMs = 500;

export function createLogReader(cluster: Pick<Cluster, 'open'>, cache: Cache): LogReader {
  async function read(name: WorkloadName, requested: LogsWanted) {
    const { tail, since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, matches, isPrevious } = requested;
    const wanted = Math.min(Math.max(0, Math.trunc(tail)), maxLines);
    const found = findStarts(cache, name);
    if (!found || wanted === 0) return [];
    const starts = isPrevious ? found.starts.slice(0, -1) : found.starts;
    const lines: LogLine[] = [];
    for (const start of starts.toReversed()) {
      const mark = createMarker(start.id);
      const signal = AbortSignal.timeout(readPatienceMs);
      // Lines before the last ones are searched in the whole log of the node.
      const isLong = matches !== undefined || Number.isFinite(until);
      const query = isLong ? {} : { tailLines: wanted, limitBytes: maxBytes };
      const own: LogLine[] = [];
      for await (const stored of linesOf(cluster, found.deploymentId, start, query, signal)) {
        if (requested.signal?.aborted) return [];
        const line = mark(stored)!;
        if (line.at < since || line.at > until || matches?.(line) === false) continue;
        own.push(line);
        if (own.length > wanted) own.shift();
      }
      lines.unshift(...own);
      if (lines.length >= wanted) break;
    }
    return newestLines(lines.slice(-wanted));
  }

  async function* follow(
    name: WorkloadName,
    { since = Number.NEGATIVE_INFINITY, after }: LogsFollowed,
    signal: AbortSignal,
  ) {
    const read = new Set<string>();
    let last = after;
    try {
      while (!signal.aborted) {
        const found = findStarts(cache, name);
        if (!found) return;
        const { deploymentId, starts, isOver } = found;
        const seen = cache.mark();
        const marked = starts.findIndex(({ id }) => last?.startsWith(`${id} `));
        const start = starts.slice(Math.max(0, marked)).find(({ id }) => !read.has(id));
        if (start) {
          const mark = createMarker(start.id, last);
          const from = sinceOf(last, start.id, start.startedAtMs);
          const query = {
            follow: !start.hasEnded,
            ...(from !== undefined && { sinceTime: new Date(from).toISOString() }),
          };
          for await (const stored of linesOf(cluster, deploymentId, start, query, signal)) {
            const line = mark(stored);
            if (!line) continue;
            last = line.mark;
            if (line.at >= since) yield line;
          }
          if (start.hasEnded) {
            read.add(start.id);
            continue;
          }
        } else if (isOver) return;
        // The stream of an ended container ends before the cluster reports it.
        const enough = new AbortController();
        const until = AbortSignal.any([signal, enough.signal]);
        cache.listen((id) => id === deploymentId && enough.abort(), until);
        if (!cache.hasChangedSince(deploymentId, seen)) await wait(pauseMs, until);
        enough.abort();
      }
    } catch (error) {
      if (!signal.aborted) throw faultOf(error);
    }
  }

  return { read, follow };
}

function findStarts(cache: Cache, name: WorkloadName) {
  const found = findPods(cache, name);
  if (!found) return undefined;
  const { deploymentId, job, pods } = found;
  const isOver =
    job?.status?.conditions?.some(({ type, status }) => ['Complete', 'Failed'].includes(type) && status === 'True') ??
    false;
  return { deploymentId, isOver, starts: startsOf(pods) };
}

/** PURE. Oldest first. */
export function startsOf(pods: readonly FoundPod[]): Start[] {
  return pods
    .flatMap(({ metadata, status }) => {
      const { containerID = '', state, lastState, restartCount } = status?.containerStatuses?.[0] ?? {};
      const isFirst = restartCount === 0;
      const pod = metadata.name;
      const ended = lastState?.terminated;
      const isCurrentOther = ended?.containerID !== containerID && (state?.running ?? state?.terminated) !== undefined;
      return [
        // Before its next start, the node returns the last start as the current one, not as the previous one.
        ...(ended?.containerID
          ? [startOf(ended.containerID, pod, ended, { isPrevious: isCurrentOther, hasEnded: true, isFirst })]
          : []),
        ...(isCurrentOther && containerID !== ''
          ? [
              startOf(containerID, pod, state?.running ?? state?.terminated ?? {}, {
                isPrevious: false,
                hasEnded: state?.terminated !== undefined,
                isFirst,
              }),
            ]
          : []),
      ];
    })
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

function startOf(
  id: string,
  pod: string,
  { startedAt, finishedAt }: Pick<Terminated, 'startedAt' | 'finishedAt'>,
  which: Pick<Start, 'isPrevious' | 'hasEnded' | 'isFirst'>,
): Start {
  return {
    id,
    pod,
    startedAtMs: Date.parse(startedAt ?? '') || 0,
    ...which,
    ...(finishedAt && { endedBeforeMs: Date.parse(finishedAt) + endDatedMs }),
  };
}

/**
 * The output of the start. If the start has ended, the node may answer with the next one, which has begun since our
 * look. Output of a first start within the second of its end is therefore looked up in the previous output.
 */
async function* linesOf(
  cluster: Pick<Cluster, 'open'>,
  deploymentId: string,
  start: Start,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<StampedLine> {
  const open = (isPrevious: boolean) => openLog(cluster, deploymentId, { ...start, isPrevious }, query, signal);
  const before = start.isPrevious || (start.isFirst && start.hasEnded) ? await open(true) : undefined;
  const stream = before ?? (start.isPrevious ? undefined : await open(false));
  let isOfNext = false;
  for await (const line of stream ? stampedLines(stream) : []) {
    isOfNext = line.at >= (start.endedBeforeMs ?? Number.POSITIVE_INFINITY);
    if (isOfNext) break;
    yield line;
  }
  if (isOfNext && !before) yield* linesOf(cluster, deploymentId, { ...start, isPrevious: true }, query, signal);
}

/** Undefined where the node has no such log. */
async function openLog(
  cluster: Pick<Cluster, 'open'>,
  deploymentId: string,
  { pod, isPrevious }: Start,
  query: Query,
  signal: AbortSignal,
): Promise<Readable | undefined> {
  const path = `${pathOf('Pod', pod, namespaceName(deploymentId))}/log`;
  const requested = { container: containerName, timestamps: true, previous: isPrevious, ...query };
  return await cluster.open(path, requested, signal).catch((error: unknown) => {
    // 404: the pod was removed. 400: its container has not started, or its log was removed.
    if (error instanceof ClusterRefusal && [400, 404].includes(error.status)) return undefined;
    throw error;
  });
}

/** `2026-01-01T00:00:00.000000001Z text` */
async function* stampedLines(stream: Readable): AsyncGenerator<StampedLine> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of stream) {
      rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
      let from = 0;
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10, from)) {
        yield* stamped(rest.subarray(from, end));
        from = end + 1;
      }
      rest = rest.subarray(from);
      if (rest.length > 2 * longestLine) rest = rest.subarray(0, longestLine);
    }
    yield* stamped(rest);
  } finally {
    stream.destroy();
  }
}

function* stamped(bytes: Buffer): Generator<StampedLine> {
  const space = bytes.indexOf(32);
  const stamp = bytes.toString('latin1', 0, space);
  const at = Date.parse(stamp);
  if (space > 0 && at > 0) {
    const text = bytes.toString('utf8', space + 1, Math.min(bytes.length, space + 1 + longestLine));
    yield { at, stamp, text: text.replace(/\r$/, '') };
  }
}
