import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createWordSearch, type Span, shortestWord } from './word-search.ts';

/** With few letters, many words share prefixes, overlap, and contain one another. */
const letters = (constraints: object) => fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), ...constraints });
const words = fc.array(letters({ minLength: shortestWord, maxLength: 12 }), { maxLength: 20 });
const text = letters({ maxLength: 80 });

function naively(words: readonly string[], text: string, isCut: boolean): Span[] {
  const covered = Array.from({ length: text.length }, () => false);
  const cover = (from: number, to: number) => covered.fill(true, from, to);
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) cover(at, at + word.length);
    for (let length = shortestWord; isCut && length <= word.length; length++)
      if (text.endsWith(word.slice(0, length))) cover(text.length - length, text.length);
  }
  return [...covered.map(Number).join('').matchAll(/1+/g)].map(({ 0: run, index }) => ({
    from: index,
    to: index + run.length,
  }));
}

test('it finds what a search for each word finds, and the beginning of one at the end of a text that was cut off', () => {
  fc.assert(
    fc.property(words, text, fc.boolean(), (words, text, isCut) => {
      assert.deepEqual(createWordSearch(words).spansIn(text, isCut), naively(words, text, isCut));
    }),
    { numRuns: 3_000 },
  );
});

test('a long word is found as a whole, and where a large part of it stands', () => {
  const word = Array.from({ length: 1_000 }, (_, index) => String.fromCharCode(97 + ((index * index) % 26))).join('');
  const search = createWordSearch([word, 'short']);
  assert.deepEqual(search.spansIn(`<${word}> short`), [
    { from: 1, to: 1_001 },
    { from: 1_003, to: 1_008 },
  ]);
  assert.deepEqual(search.spansIn(word.slice(0, 900), true), [{ from: 0, to: 900 }]);
  assert.deepEqual(search.spansIn(`< ${word.slice(256, 512)} >`), [{ from: 2, to: 258 }]);
});

test('words and a text that are made to take long do not', () => {
  // The words share a prefix, and so does the rest of the text. Comparing each word would take 65 billion steps, about
  // 14 minutes.
  const words = Array.from({ length: 25_000 }, (_, index) => `aaaa${index.toString(36).padStart(4, '0')}`);
  const search = createWordSearch(words);
  const line = 'a'.repeat(64 * 1024);
  for (let lines = 0; lines < 40; lines++) assert.deepEqual(search.spansIn(line), []);
});
