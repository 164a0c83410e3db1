import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNotifier } from './notifier.ts';

const never = new AbortController().signal;
/** Longer than any test runs. */
const long = 10 * 60_000;

test('a waiter is woken by the notification of its key, also by one from a moment before, and by no other', async () => {
  const notifier = createNotifier();
  using subscription = notifier.listen('shop');
  notifier.notify('blog');
  notifier.notify('shop');
  await subscription.next(long, never);
  let isWoken = false;
  const woken = subscription.next(long, never).then(() => {
    isWoken = true;
  });
  notifier.notify('blog');
  await new Promise(setImmediate);
  assert.equal(isWoken, false);
  notifier.notify('shop');
  await woken;
});

test('without a notification a waiter goes on in time, or at the abort', async () => {
  using subscription = createNotifier().listen('shop');
  await subscription.next(1, never);
  await subscription.next(long, AbortSignal.abort());
});
