import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRateLimits, pullsLeft, retryAfterMs } from './registry-rates.ts';

test('a registry is left alone for as long as it requires, and for at most six hours', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(retryAfterMs({ 'retry-after': '120' }, now), 120_000);
  assert.equal(retryAfterMs({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, now), 60_000);
  assert.equal(retryAfterMs({ 'retry-after': '999999999' }, now), 6 * 3_600_000);
  for (const header of ['', '0', '-5', 'soon', 'Wed, 31 Dec 2025 00:00:00 GMT'])
    assert.equal(retryAfterMs({ 'retry-after': header }, now), undefined, header);
  assert.equal(retryAfterMs({}, now), undefined);
});

test('how many pulls are left is a number of the header', () => {
  assert.equal(pullsLeft({ 'ratelimit-remaining': '76;w=21600' }), 76);
  assert.equal(pullsLeft({ 'ratelimit-remaining': '0' }), 0);
  for (const header of ['', 'many', '-1;w=1']) assert.equal(pullsLeft({ 'ratelimit-remaining': header }), undefined);
});

test('a blocked request may be repeated when the time has passed, and others are not blocked', () => {
  let now = 0;
  const limits = createRateLimits(() => now);
  limits.leaveAlone('a', 1_000);
  now = 400;
  assert.deepEqual([limits.waitMs('a'), limits.waitMs('b')], [600, 0]);
  now = 1_000;
  assert.equal(limits.waitMs('a'), 0);
});
