/** PURE. */
import type { LogLine } from '../engine.ts';

/** The maximum size of one response. 1,000 lines of the maximum length would be 16 MiB. */
const maxCharacters = 256 * 1024;

/** Returns as many of the last lines as fit into the limit. Of a longer line, returns its end. */
export function newestLines(lines: readonly LogLine[]): LogLine[] {
  const kept: LogLine[] = [];
  let room = maxCharacters;
  for (const line of lines.toReversed()) {
    if (room <= 0) break;
    const text = line.text.slice(-room);
    room -= text.length + 1;
    kept.push({ ...line, text });
  }
  return kept.reverse();
}
