import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CpuDemand, mustYield, updateDemand } from './cpu-priority.ts';

/**
 * Measures a container with one processor once a second, with these used shares. @returns whether it yields afterwards.
 */
function follow(shares: readonly number[], limitMillis = 1000): boolean[] {
  let appetite: CpuDemand = updateDemand(undefined, { usedMs: 0, atMs: 0 }, limitMillis);
  let givesWay = false;
  return shares.map((share) => {
    const { usedMs, atMs } = appetite;
    appetite = updateDemand(appetite, { usedMs: usedMs + share * 1000, atMs: atMs + 1000 }, limitMillis);
    givesWay = mustYield(appetite, givesWay);
    return givesWay;
  });
}

const seconds = (count: number, share: number) => Array.from({ length: count }, () => share);

test('a container that computes for two seconds yields', () => {
  assert.deepEqual(follow([0, 1, 1, 1]), [false, false, true, true]);
  assert.deepEqual(follow([1, 0.1, 1, 0.1, 1]), [false, false, false, false, false]);
});

test('a share is one of what the container may use', () => {
  assert.equal(follow(seconds(5, 0.2), 250).at(-1), true);
  assert.equal(follow(seconds(5, 1), 4000).at(-1), false);
});

test('a container that yields gets its priority back after half a minute of calm', () => {
  assert.equal(follow([...seconds(5, 1), ...seconds(29, 0.1)]).at(-1), true);
  assert.equal(follow([...seconds(5, 1), ...seconds(30, 0.1)]).at(-1), false);
});

test('an attack in bursts keeps yielding', () => {
  const turns = Array.from({ length: 10 }, () => [...seconds(10, 1), ...seconds(20, 0)]).flat();
  assert.ok(!follow(turns).slice(2).includes(false));
});

test('a restarted container is judged again', () => {
  const before: CpuDemand = { usedMs: 9000, atMs: 9000, isGreedy: true, sinceMs: 0 };
  const after = updateDemand(before, { usedMs: 100, atMs: 10_000 }, 1000);
  assert.deepEqual(after, { usedMs: 100, atMs: 10_000, isGreedy: false, sinceMs: 10_000 });
});

test('a container below half of its limit never yields, at any intervals', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 0.49, noNaN: true })), (shares) => {
      assert.ok(!follow(shares).includes(true));
    }),
  );
});
