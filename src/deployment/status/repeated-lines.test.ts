import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldRepetitions } from './repeated-lines.ts';

const fold = (...lines: string[]) => foldRepetitions(lines, 50, false);
const trace = ['Error: connect ECONNREFUSED', '    at connect (net.js:1)', '    at main (app.js:2)'];

test('a trace that was written three times is there once', () => {
  const folded = ['Error: connect ECONNREFUSED ×3', ...trace.slice(1)];
  assert.deepEqual(fold(...trace, ...trace, ...trace), folded);
  assert.deepEqual(fold('starting', ...trace, ...trace, ...trace), ['starting', ...folded]);
  assert.deepEqual(fold(...trace, ...trace, ...trace, 'the end'), [...folded, 'the end']);
});

test('a line that was written again and again is there once', () => {
  assert.deepEqual(fold('no table', 'no table', 'no table', 'no table'), ['no table ×4']);
});

test('times, addresses and process numbers do not make a difference, and the last ones are shown', () => {
  const start = (at: string, pid: number) => [
    `${at} ERROR [${pid}] database is away after ${pid} ms`,
    '  at 0x7f00beef',
  ];
  const lines = [...start('2026-01-01T12:00:01.123Z', 7), ...start('2026-01-01T12:00:09.500Z', 8)];
  assert.deepEqual(fold(...lines), [
    '2026-01-01T12:00:09.500Z ERROR [8] database is away after 8 ms ×2',
    '  at 0x7f00beef',
  ]);
});

test('lines that differ stay, also those that differ in a number', () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  assert.deepEqual(fold(...lines), lines);
});

test('braces and blank lines are not repetitions', () => {
  const lines = ['{', '', '', '}', '}', '}'];
  assert.deepEqual(fold(...lines), lines);
});

test('the end of a trace, whose beginning was cut off, is left out before the whole one', () => {
  const lines = [...trace.slice(1), ...trace, ...trace];
  assert.deepEqual(foldRepetitions(lines, 50, true), ['Error: connect ECONNREFUSED ×2', ...trace.slice(1)]);
  assert.deepEqual(foldRepetitions(lines, 50, false)[0], trace[1], 'of lines that are all there none is left out');
});

test('no more lines are shown than are wanted, and the last ones at that', () => {
  assert.deepEqual(foldRepetitions([...trace, ...trace, 'one', 'two'], 4, false), [
    '    at connect (net.js:1) ×2',
    '    at main (app.js:2)',
    'one',
    'two',
  ]);
});

test('folding loses nothing: repeating each line as often as shown restores the input', () => {
  const word = fc.constantFrom('alpha', 'beta', 'gamma');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (lines) => {
      const folded = foldRepetitions(lines, 50, false);
      assert.ok(folded.length <= lines.length);
      assert.deepEqual(new Set(folded.map((line) => line.replace(/ ×\d+$/, ''))), new Set(lines));
      assert.equal(folded.at(-1)?.replace(/ ×\d+$/, ''), lines.at(-1));
    }),
  );
});

test('hundreds of hostile lines are folded in no time to speak of', () => {
  const lines = Array.from({ length: 400 }, (_, index) => `${'aa '.repeat(1000)}${index % 7 === 0 ? index : ''}`);
  assert.ok(foldRepetitions(lines, 50, true).length <= 50);
});
