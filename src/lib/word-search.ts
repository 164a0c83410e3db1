/** PURE. Finds many words in a text in time linear in its length, even if words and text are hostile. */

/** From the first character up to, but not including, the last. */
export type Span = { from: number; to: number };

export type WordSearch = {
  /**
   * The spans of words, in order; spans that overlap or touch are merged. `isCut`: the text continues with unknown
   * characters, so its end may be the beginning of a word.
   */
  spansIn(text: string, isCut?: boolean): Span[];
};

/** A longer word is split into parts of this length, and found if any part occurs. */
const partLength = 256;

/** Shorter words and prefixes are not searched for. */
export const shortestWord = 4;

export function createWordSearch(words: Iterable<string>): WordSearch {
  const parts = [...new Set(Array.from(words).flatMap(partsOf))].sort();
  const prefixOf = longestPrefixes(parts);
  const beginnings = new Uint8Array(beginningsSize);
  for (const part of parts) beginnings[beginningAt(part, 0)] = 1;

  /** Returns the length of the longest word that begins there. 0 if no word begins there. */
  function lengthAt(text: string, from: number): number {
    if (beginnings[beginningAt(text, from)] === 0) return 0;
    const rest = text.slice(from, from + partLength);
    // A word that is a prefix of `rest` is also a prefix of the last word that is not after `rest`.
    let index = firstBehind(parts, rest) - 1;
    if (index < 0) return 0;
    const common = commonLength(parts[index]!, rest);
    while (index >= 0 && parts[index]!.length > common) index = prefixOf[index]!;
    return index < 0 ? 0 : parts[index]!.length;
  }

  /** Returns where a word begins that is cut off at the end of the text. */
  function cutAt(text: string): number | undefined {
    for (let from = Math.max(0, text.length - partLength); from + shortestWord <= text.length; from++) {
      const rest = text.slice(from);
      if (parts[firstNotBefore(parts, rest)]?.startsWith(rest)) return from;
    }
    return undefined;
  }

  return {
    spansIn(text, isCut = false) {
      const spans: Span[] = [];
      const add = (from: number, to: number) => {
        const last = spans.at(-1);
        if (last && from <= last.to) last.to = Math.max(last.to, to);
        else spans.push({ from, to });
      };
      const cut = isCut ? cutAt(text) : undefined;
      for (let from = 0; from + shortestWord <= text.length; from++) {
        const length = lengthAt(text, from);
        if (length > 0) add(from, from + length);
        if (from === cut) add(from, text.length);
      }
      return spans;
    },
  };
}

/** The last part ends with the word and overlaps the previous one. */
function partsOf(word: string): string[] {
  if (word.length < shortestWord) return [];
  if (word.length <= partLength) return [word];
  const whole = Array.from({ length: Math.floor(word.length / partLength) }, (_, index) =>
    word.slice(index * partLength, (index + 1) * partLength),
  );
  return [...whole, word.slice(-partLength)];
}

/**
 * Returns for each of the sorted words the index of the longest other word that is its prefix. -1 without such a
 * word.
 */
function longestPrefixes(words: readonly string[]): Int32Array {
  const prefixOf = new Int32Array(words.length);
  const open: number[] = [];
  for (const [index, word] of words.entries()) {
    while (open.length > 0 && !word.startsWith(words[open.at(-1)!]!)) open.pop();
    prefixOf[index] = open.at(-1) ?? -1;
    open.push(index);
  }
  return prefixOf;
}

const beginningsSize = 2 ** 16;

/** Returns a number for the first characters of a word, which almost always differs between words. */
function beginningAt(text: string, at: number): number {
  let number = 0;
  for (let index = at; index < at + shortestWord; index++) number = (number * 31 + text.charCodeAt(index)) & 0xffffff;
  return (number ^ (number >> 8)) & (beginningsSize - 1);
}

/** Returns the index of the first word that is greater than the text. */
function firstBehind(words: readonly string[], text: string): number {
  return firstWhere(words, (word) => word > text);
}

function firstNotBefore(words: readonly string[], text: string): number {
  return firstWhere(words, (word) => word >= text);
}

/** Binary search: `isAfter` is true for all words after the result, and false for all words before it. */
function firstWhere(words: readonly string[], isAfter: (word: string) => boolean): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(words[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
