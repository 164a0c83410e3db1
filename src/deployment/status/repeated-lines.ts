/** Folds what is written again and again: of a crash loop one trace is enough, with how often it came. Pure. */

/** Of lines that repeat one another, these parts differ from one time to the next. */
const passing =
  /\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?|0x[\da-f]+|[[(]\d+[\])]|\b\d+(?:\.\d+)? ?(?:ms|s)\b|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;

/** Something to read is in it: braces and blank lines repeat everywhere. */
const word = /\p{L}{2}/u;

/**
 * The last `max` lines of what is left when each block of lines that follows itself is there once, the last time that
 * it came; its first line ends with how often. With `isCut`, other lines came before these: where the first ones are
 * the end of a block that follows them, they are left out.
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

/** The block that ends there: the one that covers most lines by its repetitions, and of those the shortest. */
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
