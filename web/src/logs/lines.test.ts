import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogLine } from '../../../src/client/client.ts';
import {
  addLines,
  cutAt,
  type Filter,
  hueOf,
  inBlocks,
  levelOf,
  linesBefore,
  matching,
  maxLines,
  revisionsOf,
  withoutCodes,
  withoutGaps,
} from './lines.ts';

const line = (second: number, text: string, pod = 'web'): LogLine => ({
  at: `2026-01-01T12:00:${String(second % 60).padStart(2, '0')}.000Z`,
  pod,
  revision: 1,
  text,
});

const all: Filter = { pod: '', revision: 0, stream: '', search: '' };

test('lines are numbered in order of arrival, and a reopened stream repeats none', () => {
  const first = addLines([], [line(1, 'one'), line(2, 'two'), line(2, 'two b')]);
  const again = addLines(first, [line(2, 'two'), line(2, 'two b'), line(2, 'two c'), line(3, 'three')]);
  assert.deepEqual(
    again.map(({ number, text }) => `${number} ${text}`),
    ['1 one', '2 two', '3 two b', '4 two c', '5 three'],
  );
});

test('if only the last lines of an instant are shown, a reopened stream adds no earlier ones', () => {
  const shown = addLines([], [line(1, 'other', 'db'), line(1, 'c'), line(1, 'd')]);
  const again = addLines(shown, [
    line(1, 'first of db', 'cache'),
    line(1, 'a'),
    line(1, 'c'),
    line(1, 'd'),
    line(1, 'e'),
  ]);
  assert.deepEqual(
    again.map(({ text }) => text),
    ['other', 'c', 'd', 'first of db', 'e'],
  );
});

test('a line that a pod writes twice is shown twice', () => {
  assert.equal(addLines([], [line(1, 'same'), line(1, 'same')]).length, 2);
});

test('the number of lines is limited', () => {
  const many = addLines(
    [],
    Array.from({ length: maxLines + 10 }, (_, index) => line(1, `line ${index}`)),
  );
  assert.deepEqual([many.length, many[0]!.text], [maxLines, 'line 10']);
});

test('lines are found by their pod and by a part of their text, in any case', () => {
  const lines = addLines([], [line(1, 'GET /Cart'), line(2, 'ready', 'db'), line(3, 'get /shop')]);
  const found = (pod: string, search: string) => matching(lines, { ...all, pod, search }).map(({ text }) => text);
  assert.deepEqual(found('', 'get'), ['GET /Cart', 'get /shop']);
  assert.deepEqual(found('db', ''), ['ready']);
  assert.deepEqual(found('db', 'get'), []);
  assert.equal(matching(lines, all), lines);
});

test('lines are found by the revision that wrote them, and each that did can be chosen', () => {
  const lines = addLines([], [line(1, 'old'), { ...line(2, 'new'), revision: 2 }, line(3, 'old, too')]);
  assert.deepEqual(revisionsOf(lines), [2, 1]);
  const found = (revision: number) => matching(lines, { ...all, revision }).map(({ text }) => text);
  assert.deepEqual(found(1), ['old', 'old, too']);
  assert.deepEqual(found(2), ['new']);
});

test('lines are found by their stream; lines without a known stream are not found', () => {
  const lines = addLines(
    [],
    [{ ...line(1, 'out'), stream: 'stdout' }, { ...line(2, 'err'), stream: 'stderr' }, line(3, 'either')],
  );
  const found = (stream: 'stdout' | 'stderr') => matching(lines, { ...all, stream }).map(({ text }) => text);
  assert.deepEqual([found('stdout'), found('stderr')], [['out'], ['err']]);
});

test('one text that is written to both streams at once is two lines', () => {
  const out = addLines([], [{ ...line(1, 'same'), stream: 'stdout' }]);
  assert.equal(addLines(out, [{ ...line(1, 'same'), stream: 'stderr' }]).length, 2);
});

test('full blocks stay unchanged when a line arrives', () => {
  const lines = addLines(
    [],
    Array.from({ length: 250 }, (_, index) => line(1, `line ${index}`)),
  );
  const before = inBlocks(lines);
  const after = inBlocks(addLines(lines, [line(2, 'one more')]));
  assert.deepEqual(
    before.map((block) => block.lines.length),
    [24, ...Array.from({ length: 9 }, () => 25), 1],
  );
  assert.deepEqual(after.slice(0, 10), before.slice(0, 10));
  assert.equal(after[10]!.lines.length, 2);
});

test('matches of a search are separate parts of the line', () => {
  assert.deepEqual(cutAt('GET /get', 'get'), ['', 'GET', ' /', 'get', '']);
  assert.deepEqual(cutAt('nothing', 'x'), ['nothing']);
  assert.deepEqual(cutAt('İ get', 'get'), ['İ get']);
});

test('terminal colors are left out', () => {
  assert.equal(withoutCodes('\u001b[32mgreen\u001b[0m and \u001b]8;;http://a\u0007link'), 'green and link');
  assert.equal(withoutCodes('plain [32m'), 'plain [32m');
});

test('if one pod has more lines than requested, earlier lines of other pods wait for them', () => {
  const come = [line(1, 'old', 'db'), line(5, 'a'), line(6, 'b'), line(6, 'new', 'db'), line(7, 'c')];
  const texts = (tail: number) => withoutGaps(come, tail).map(({ text }) => text);
  assert.deepEqual(texts(3), ['a', 'b', 'new', 'c']);
  assert.deepEqual(texts(4), ['old', 'a', 'b', 'new', 'c']);
  assert.deepEqual(withoutGaps([], 3), []);
});

test('earlier lines are numbered down from the first shown line, without duplicates', () => {
  const shown = addLines([], [line(10, 'ten'), line(10, 'ten b'), line(11, 'eleven')]);
  const come = [line(8, 'eight'), line(9, 'nine'), line(10, 'nine b'), line(10, 'ten'), line(10, 'ten b')];
  const before = linesBefore(shown, come);
  assert.deepEqual(
    [...before, ...shown].map(({ number, text }) => `${number} ${text}`),
    ['-2 eight', '-1 nine', '0 nine b', '1 ten', '2 ten b', '3 eleven'],
  );
  assert.deepEqual(linesBefore([...before, ...shown], [line(8, 'eight')]), []);
  assert.deepEqual(linesBefore([], come), []);
});

test('the first words of a line mark it as an error or a warning', () => {
  for (const text of ['ERROR: no', '2026-01-01 [error] x', 'panic: x', '{"level":50,"msg":"x"}', 'npm ERR! x'])
    assert.equal(levelOf(text), 'error', text);
  for (const text of ['WARN x', '(node:1) Warning: old', '{"level":"warn"}'])
    assert.equal(levelOf(text), 'warning', text);
  for (const text of ['GET /errors 200', 'ready', `${'x '.repeat(80)}error`, 'terror'])
    assert.equal(levelOf(text), undefined);
});

test('no two of sixty pods have one colour, and none has the colour of errors', () => {
  const found = Array.from({ length: 60 }, (_, index) => hueOf(index));
  assert.equal(new Set(found).size, 60);
  for (const hue of found) assert.ok(hue >= 65 && hue <= 340, `${hue}`);
});
