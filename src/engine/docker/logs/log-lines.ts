/** Docker's log frames → lines. */
import type { OutputStream } from '../../engine.ts';
import type { StampedLine } from '../../logs/log-marks.ts';

const headerBytes = 8;

/** Streams by the first byte of a frame. Other frames are messages of the engine about its own files. */
const streams = new Map<number, OutputStream>([
  [1, 'stdout'],
  [2, 'stderr'],
]);

/** Longer lines are split, so that readers need not buffer an endless line. */
const longestLineBytes = 64 * 1024;

export type LineReader = {
  /** The lines that end in this piece of the answer. */
  push(chunk: Buffer): StampedLine[];
  /** Returns the rest without a line end. */
  end(): StampedLine[];
};

type OpenLine = { at: number; stamp: string; stream: OutputStream; parts: Buffer[]; bytes: number };

/**
 * Parses Docker's frames of both streams: one byte identifies the stream, bytes 4 to 7 contain the length of the
 * payload, which begins with an RFC 3339 timestamp and a space. A long line has several frames with the same timestamp,
 * and frames arrive in arbitrary pieces. The last output of a program may lack a line break; the next start begins a
 * new line anyway.
 */
export function createLineReader(): LineReader {
  let pending: Buffer = Buffer.alloc(0);
  const open = new Map<OutputStream, OpenLine>();

  function readFrame(stream: OutputStream | undefined, body: Buffer): StampedLine[] {
    if (!stream) return [];
    const space = body.indexOf(32);
    const stamp = body.toString('latin1', 0, Math.max(0, space));
    const at = Date.parse(stamp) || 0;
    const lines: StampedLine[] = [];
    const unfinished = open.get(stream);
    if (unfinished && unfinished.stamp !== stamp) {
      open.delete(stream);
      lines.push(toLine(unfinished));
    }
    for (let start = space + 1; start < body.length; ) {
      const newline = body.indexOf(10, start);
      const stop = newline === -1 ? body.length : newline;
      const line = open.get(stream) ?? { at, stamp, stream, parts: [], bytes: 0 };
      line.parts.push(body.subarray(start, stop));
      line.bytes += stop - start;
      if (newline === -1 && line.bytes < longestLineBytes) {
        open.set(stream, line);
      } else {
        open.delete(stream);
        lines.push(toLine(line));
      }
      start = stop + 1;
    }
    return lines;
  }

  return {
    push(chunk) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const lines: StampedLine[] = [];
      let at = 0;
      while (pending.length - at >= headerBytes) {
        const end = at + headerBytes + pending.readUInt32BE(at + 4);
        if (end > pending.length) break;
        lines.push(...readFrame(streams.get(pending[at]!), pending.subarray(at + headerBytes, end)));
        at = end;
      }
      pending = pending.subarray(at);
      return lines;
    },
    end() {
      const lines = [...open.values()].map(toLine);
      open.clear();
      return lines;
    },
  };
}

function toLine({ at, stamp, stream, parts }: OpenLine): StampedLine {
  return { at, stamp, stream, text: Buffer.concat(parts).toString('utf8').replace(/\r$/, '') };
}
