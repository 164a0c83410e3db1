import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unshownLines } from './follow-push.ts';

test('each complete line of a build is shown once, and the last one when the build has ended', () => {
  const first = unshownLines('one\ntw\n', 0, true);
  assert.deepEqual(first, { lines: ['one'], shown: 1 });
  const second = unshownLines('one\ntwo\nthree\n', first.shown, true);
  assert.deepEqual(second, { lines: ['two'], shown: 2 });
  assert.deepEqual(unshownLines('one\ntwo\nthree\n', second.shown, false), { lines: ['three'], shown: 3 });
  assert.deepEqual(unshownLines('', 0, true), { lines: [], shown: 0 });
});

test('a build that was begun again is shown from there', () => {
  assert.deepEqual(unshownLines('', 5, true), { lines: [], shown: 0 });
  assert.deepEqual(unshownLines('again\nnow\n', 0, true), { lines: ['again'], shown: 1 });
});
