import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, createBackoff } from './backoff.ts';

const times = { firstMs: 500, longestMs: 4_000 };

test('pauses double up to the longest, and begin again after a success', () => {
  const backoff = createBackoff(times, () => 1);
  assert.deepEqual([1, 2, 3, 4, 5].map(backoff.next), [500, 1_000, 2_000, 4_000, 4_000]);
  backoff.reset();
  assert.equal(backoff.next(), 500);
});

test('a pause is between a half and all of its time, after any number of failures', () => {
  assert.deepEqual([backoffMs(times, 1, () => 0), backoffMs(times, 1e9, () => 0)], [250, 2_000]);
});

test('each failure doubles the wait, up to the longest, and no two that fail together come again together', () => {
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), share, share, (failures, one, other) => {
      const whole = Math.min(500 * 2 ** (failures - 1), 4_000);
      const waits = [one, other].map((random) => backoffMs(times, failures, () => random));
      for (const wait of waits) assert.ok(wait >= whole / 2 && wait <= whole, `${wait} ms after ${failures}`);
      if (Math.abs(one - other) > 1e-6) assert.notEqual(waits[0], waits[1]);
    }),
  );
});
