import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisitMsOf } from './schedule.ts';

test('the more deployments are well, the more rarely each is visited: two a second at most', () => {
  const leastMs = 600_000;
  assert.deepEqual(
    [1, 1_200, 10_000, 100_000].map((count) => revisitMsOf(count, leastMs)),
    [leastMs, leastMs, 5_000_000, 50_000_000],
  );
});
