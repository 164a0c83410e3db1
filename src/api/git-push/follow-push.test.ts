import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ShownLines, unshownLines } from './follow-push.ts';

/** The lines that each look shows. The build ends with the last look. */
function look(...logs: string[]): string[][] {
  let shown: ShownLines = { count: 0, last: undefined };
  return logs.map((log, at) => {
    const news = unshownLines(log, shown, at < logs.length - 1);
    shown = news.shown;
    return news.lines;
  });
}

test('each line of a build is shown once, and the last one when it is complete', () => {
  assert.deepEqual(look('one\ntw\n', 'one\ntwo\nthree\n', 'one\ntwo\nthree\n'), [['one'], ['two'], ['three']]);
  assert.deepEqual(look('', 'one\n', 'one\n'), [[], [], ['one']]);
});

test('a step that takes long is shown at the second look', () => {
  const log = 'STEP 1/2: FROM node\nSTEP 2/2: RUN npm ci\n';
  const steps = ['STEP 1/2: FROM node', 'STEP 2/2: RUN npm ci'];
  assert.deepEqual(look(log, log, log, `${log}done\n`), [[steps[0]], [steps[1]], [], ['done']]);
});

test('a build that was begun again is shown from there', () => {
  assert.deepEqual(look('one\ntwo\n', '', 'again\nnow\n', 'again\nnow\n'), [['one'], [], ['again'], ['now']]);
});
