/** What a container has written and writes. */
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { LogLine, LogsWanted } from '../engine.ts';
import { isOwnedBy } from '../labels.ts';
import { orAbsent } from './faults.ts';
import { createLineReader } from './log-lines.ts';

/** Docker stores lines in pieces of at most 16 KiB, so 1,000 of them are 16 MiB at the very worst. */
const mostLines = 1_000;

/** What Docker answers to a question for the logs of a container that is just going. */
const beingRemoved = 409;

/** Of these we keep the last so many characters. */
const mostCharacters = 256 * 1024;

/** The last `tail` lines of both outputs, oldest first; [] when there is no such container of ours. */
export async function readLogs(
  docker: Docker,
  owner: string,
  name: string,
  { tail, since }: LogsWanted,
): Promise<LogLine[]> {
  const lines = Math.min(Math.max(0, Math.trunc(tail)), mostLines);
  const container = await ownContainer(docker, owner, name);
  if (!container || lines === 0) return [];
  const options = { stdout: true, stderr: true, timestamps: true, tail: lines, ...sinceSeconds(since) };
  const output = await orAbsent(container.logs({ ...options, follow: false }), beingRemoved);
  if (!output) return [];
  const reader = createLineReader();
  const read = [...reader.push(output), ...reader.end()].toSorted((a, b) => a.at - b.at);
  return newest(read.slice(-lines));
}

/** The lines that come from now on, or from `since`, until the container ends or the signal aborts. */
export async function* followLogs(
  docker: Docker,
  owner: string,
  name: string,
  since: number,
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const container = await ownContainer(docker, owner, name);
  if (!container || signal.aborted) return;
  const options = { stdout: true, stderr: true, timestamps: true, ...sinceSeconds(since), abortSignal: signal };
  const stream = (await orAbsent(container.logs({ ...options, follow: true }), beingRemoved)) as unknown as Readable;
  if (!stream) return;
  const reader = createLineReader();
  try {
    for await (const chunk of stream) yield* reader.push(chunk as Buffer);
    yield* reader.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stream.destroy();
  }
}

async function ownContainer(docker: Docker, owner: string, name: string): Promise<Docker.Container | undefined> {
  const container = docker.getContainer(name);
  const found = await orAbsent(container.inspect());
  return found && isOwnedBy(owner, found.Config.Labels) ? container : undefined;
}

/** Docker reads fractions of a second, though its description says seconds. */
function sinceSeconds(since: number | undefined): { since?: number } {
  return since === undefined ? {} : { since: since / 1000 };
}

/** As many of the last lines as fit into the limit; of a longer one its end. */
function newest(lines: LogLine[]): LogLine[] {
  const kept: LogLine[] = [];
  let room = mostCharacters;
  for (const { at, text } of lines.toReversed()) {
    if (room <= 0) break;
    const part = text.slice(-room);
    room -= part.length + 1;
    kept.push({ at, text: part });
  }
  return kept.reverse();
}
