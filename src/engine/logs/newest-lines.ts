/** PURE. */
import type { LogLine } from '../engine.ts';

/** Maximum size of one answer; 1,000 lines at their longest would be 16 MiB. */
const maxCharacters = 256 * 1024;

/** As many of the last lines as fit into the limit; of a longer one its end. */
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
