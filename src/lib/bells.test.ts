import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBells } from './bells.ts';

const never = new AbortController().signal;
/** Longer than any test runs. */
const long = 10 * 60_000;

test('a waiter is woken by the notification of its key, also by one from a moment before, and by no other', async () => {
  const bells = createBells();
  using bell = bells.listen('shop');
  bells.ring('blog');
  bells.ring('shop');
  await bell.next(long, never);
  let isWoken = false;
  const woken = bell.next(long, never).then(() => {
    isWoken = true;
  });
  bells.ring('blog');
  await new Promise(setImmediate);
  assert.equal(isWoken, false);
  bells.ring('shop');
  await woken;
});

test('without a notification a waiter goes on in time, or at the abort', async () => {
  using bell = createBells().listen('shop');
  await bell.next(1, never);
  await bell.next(long, AbortSignal.abort());
});
