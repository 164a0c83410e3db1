import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimiter } from './rate-limit.ts';

const minute = 60_000;

test('a key has its count in a window that begins with its first use, and the same again after it', () => {
  const limiter = createLimiter({ count: 2, windowMs: minute });
  assert.deepEqual(limiter.take('a', 1000), { isAllowed: true, remaining: 1, resetsInMs: minute });
  assert.deepEqual(limiter.take('a', 2000), { isAllowed: true, remaining: 0, resetsInMs: minute - 1000 });
  assert.deepEqual(limiter.take('a', minute), { isAllowed: false, remaining: 0, resetsInMs: 1000 });
  assert.equal(limiter.take('b', minute).isAllowed, true);
  assert.deepEqual(limiter.take('a', minute + 1000), { isAllowed: true, remaining: 1, resetsInMs: minute });
});

test('a flood of keys takes no more memory than its bound, and sets no refused key free', () => {
  const limiter = createLimiter({ count: 2, windowMs: minute }, 100);
  for (let time = 0; time < 3; time++) limiter.take('refused', 0);
  for (let key = 0; key < 10_000; key++) limiter.take(`flood ${key}`, 1);
  assert.ok(limiter.size() <= 101, `${limiter.size()}`);
  assert.equal(limiter.take('refused', 2).isAllowed, false);
});

test('refused keys have a bound too', () => {
  const limiter = createLimiter({ count: 1, windowMs: minute }, 100);
  for (let key = 0; key < 10_000; key++) for (let time = 0; time < 2; time++) limiter.take(`${key}`, 1);
  assert.ok(limiter.size() <= 200, `${limiter.size()}`);
});

test('what is over is forgotten as others come', () => {
  const limiter = createLimiter({ count: 1, windowMs: minute });
  for (let key = 0; key < 1000; key++) limiter.take(`${key}`, 0);
  limiter.take('later', minute);
  assert.equal(limiter.size(), 1);
});

test('a clock that jumps back does not lock clients out', () => {
  const limiter = createLimiter({ count: 1, windowMs: minute });
  limiter.take('a', 100 * minute);
  limiter.take('a', 100 * minute);
  assert.equal(limiter.take('a', minute).isAllowed, true);
});
