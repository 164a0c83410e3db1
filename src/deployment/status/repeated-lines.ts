/** PURE. Folds repeated lines: a crash loop is shown as one trace with the number of its repetitions. */

/** Parts that differ between repetitions of a line. */
const passing =
  /\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?|0x[\da-f]+|[[(]\d+[\])]|\b\d+(?:\.\d+)? ?(?:ms|s)\b|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;

/** Lines with words. Braces and blank lines repeat everywhere. */
const word = /\p{L}{2}/u;

/**
 * Returns the last `max` lines. A block that repeats directly after itself is reduced to its last repetition, with the
 * number of repetitions at the end of its first line. `isCut`: earlier lines are missing, and an incomplete first
 * repetition is left out.
 */
export function foldRepetitions(lines: readonly string[], max: number, isCut: boolean): string[] {
  const keys = lines.map((line) => line.replace(passing, '#').trimEnd());
  const folded: string[] = [];
  let end = lines.length;
  while (end > 0 && folded.length < max) {
    const { length, times } = blockBefore(keys, end, lines);
    const room = max - folded.length;
    const shown = lines.slice(Math.max(end - length, end - room), end);
    if (times > 1) shown[0] = `${shown[0]} ×${times}`;
    folded.unshift(...shown);
    const start = end - length * times;
    const isRest = isCut && times > 1 && start < length && isSame(keys, 0, end - start, start);
    end = isRest ? 0 : start;
  }
  return folded;
}

/** Returns the block that ends there: its repetitions cover the most lines, and it is the shortest of such blocks. */
function blockBefore(
  keys: readonly string[],
  end: number,
  lines: readonly string[],
): { length: number; times: number } {
  let best = { length: 1, times: 1 };
  for (let length = 1; length * 2 <= end; length++) {
    let times = 1;
    while (end - length * (times + 1) >= 0 && isSame(keys, end - length * (times + 1), end - length, length)) times++;
    const isBetter = times > 1 && length * times > best.length * best.times;
    if (isBetter && lines.slice(end - length, end).some((line) => word.test(line))) best = { length, times };
  }
  return best;
}

function isSame(keys: readonly string[], from: number, other: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (keys[from + index] !== keys[other + index]) return false;
  return true;
}
