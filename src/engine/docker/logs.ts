/** What a container has written, as lines. */
import type Docker from 'dockerode';
import { isOwnedBy } from '../labels.ts';
import { orAbsent } from './faults.ts';

/** Docker stores lines in pieces of at most 16 KiB, so 1,000 of them are 16 MiB at the very worst. */
const mostLines = 1_000;

/** Of these we keep the last so many bytes. */
const mostBytes = 256 * 1024;

/** The last `tail` lines of both outputs, oldest first; [] when there is no such container of ours. */
export async function readLogs(docker: Docker, owner: string, name: string, tail: number): Promise<string[]> {
  const container = docker.getContainer(name);
  const found = await orAbsent(container.inspect());
  if (!found || !isOwnedBy(owner, found.Config.Labels)) return [];
  const lines = Math.min(Math.max(0, Math.trunc(tail)), mostLines);
  if (lines === 0) return [];
  const output = await orAbsent(container.logs({ stdout: true, stderr: true, tail: lines, follow: false }));
  return output ? linesOf(output).slice(-lines) : [];
}

/**
 * Docker sends both outputs in frames: one byte tells which one, bytes 4 to 7 the length of what follows. A line may
 * be spread over several frames, and lines of the two outputs over one another.
 */
export function linesOf(frames: Buffer): string[] {
  const lines: Buffer[][] = [];
  const open = new Map<number, Buffer[]>();
  for (let at = 0; at + 8 <= frames.length; ) {
    const output = frames[at]!;
    const end = at + 8 + frames.readUInt32BE(at + 4);
    for (let start = at + 8; start < end; ) {
      const newline = frames.subarray(0, end).indexOf(10, start);
      const stop = newline === -1 ? end : newline;
      const line = open.get(output) ?? [];
      if (line.length === 0) lines.push(line);
      line.push(frames.subarray(start, stop));
      if (newline === -1) open.set(output, line);
      else open.delete(output);
      start = stop + 1;
    }
    at = end;
  }
  return newest(lines.map((parts) => Buffer.concat(parts)));
}

/** As many of the last lines as fit into the limit; of a longer one its end. */
function newest(lines: Buffer[]): string[] {
  const kept: string[] = [];
  let room = mostBytes;
  for (const line of lines.toReversed()) {
    if (room <= 0) break;
    const part = line.subarray(Math.max(0, line.length - room));
    room -= part.length + 1;
    kept.push(part.toString('utf8').replace(/\r$/, ''));
  }
  return kept.reverse();
}
