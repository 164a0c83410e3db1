/**
 * Reads the output of a command without a terminal in Docker's format: a header of eight bytes, then the bytes of one
 * stream.
 */
import type { ExecOutput } from '../../exec.ts';

const headBytes = 8;

/** Passes on pieces of frames as they arrive, because the container chooses the length of a frame. */
export async function* readFrames(pieces: AsyncIterable<Buffer>): AsyncGenerator<ExecOutput> {
  let head = Buffer.alloc(0);
  let left = 0;
  let from: ExecOutput['from'] = 'stdout';
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (left === 0) {
        const missing = headBytes - head.length;
        head = Buffer.concat([head, piece.subarray(at, at + missing)]);
        at += missing;
        if (head.length < headBytes) break;
        from = head[0] === 2 ? 'stderr' : 'stdout';
        left = head.readUInt32BE(4);
        head = Buffer.alloc(0);
      } else {
        const bytes = piece.subarray(at, at + left);
        at += bytes.length;
        left -= bytes.length;
        yield { from, bytes };
      }
    }
  }
}
