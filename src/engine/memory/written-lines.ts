/** The past and new output of containers of the in-memory engine. */
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import type { LogLine, LogMark, LogsFollowed, LogsWanted } from '../engine.ts';
import type { MemoryContainer, MemoryWorld, WrittenLine } from './world.ts';

export function readLogs(
  world: MemoryWorld,
  owner: string,
  name: WorkloadName,
  { tail, since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, ...wanted }: LogsWanted,
): LogLine[] {
  const container = world.containers.get(name);
  if (container?.owner !== owner || tail <= 0) return [];
  const { isPrevious = false, matches = () => true } = wanted;
  return container.written
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => !isPrevious || line.start < container.starts)
    .filter(({ line }) => line.at <= until && matches(line))
    .slice(-tail)
    .filter(({ line }) => line.at >= since)
    .map(({ line, index }) => logLine(container, line, index));
}

export async function* followLogs(
  world: MemoryWorld,
  owner: string,
  name: WorkloadName,
  { since = Number.NEGATIVE_INFINITY, after }: LogsFollowed,
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const container = world.containers.get(name);
  if (container?.owner !== owner) return;
  let index = indexAfter(container, after);
  for (;;) {
    for (; index < container.written.length; index++) {
      if (signal.aborted) return;
      const line = container.written[index]!;
      if (line.at >= since) yield logLine(container, line, index);
    }
    const isThere = world.containers.get(name) === container && container.phase === 'running';
    if (!isThere || signal.aborted) return;
    await untilWritten(world, signal);
  }
}

function logLine({ number }: MemoryContainer, { at, stream, text }: WrittenLine, index: number): LogLine {
  return { at, stream, text, mark: `${number} ${index}` };
}

/** Returns the index after the mark. If the mark belongs to another container, the index is 0. */
function indexAfter({ number }: MemoryContainer, after: LogMark | undefined): number {
  const [ofContainer, index] = after?.split(' ') ?? [];
  return ofContainer === String(number) ? Number(index) + 1 : 0;
}

async function untilWritten({ readers }: MemoryWorld, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  readers.add(wake);
  signal.addEventListener('abort', wake, { once: true });
  await promise;
  signal.removeEventListener('abort', wake);
  readers.delete(wake);
}
