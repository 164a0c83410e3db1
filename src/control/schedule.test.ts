import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextVisitAt, revisitMsOf } from './schedule.ts';

test('the more deployments are well, the more rarely each is visited: two a second at most', () => {
  const minMs = 600_000;
  assert.deepEqual(
    [1, 1_200, 10_000, 100_000].map((count) => revisitMsOf(count, minMs)),
    [minMs, minMs, 5_000_000, 50_000_000],
  );
});

test('who is well is visited together with others, never later than planned and hardly earlier', () => {
  const well = { expiresAt: null, heldAt: null, warnedOf: null, createdAt: 0 };
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const instant = fc.integer({ min: 0, max: 4e12 });
  fc.assert(
    fc.property(instant, share, fc.integer({ min: 1_000, max: 50_000_000 }), (now, random, withinMs) => {
      const at = nextVisitAt(well, { now: () => now, random: () => random }, withinMs);
      assert.ok(at > now + withinMs * 0.73 && at <= now + withinMs, `${at - now} of ${withinMs} ms`);
      if (withinMs >= 600_000) assert.equal(at % 5_000, 0);
    }),
  );
});
