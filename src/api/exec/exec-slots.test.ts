import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExecSlots } from './exec-slots.ts';

/** Takes the maximum for each caller, in separate deployments. */
function takeAll(places: ReturnType<typeof createExecSlots>, callers: readonly string[], each: number): number {
  let taken = 0;
  for (const caller of callers)
    for (let count = 0; count < each; count++)
      if (typeof places.take(`${caller}-${count}`, caller) === 'function') taken += 1;
  return taken;
}

test('callers who take all they can leave a place for the first command of others', () => {
  const places = createExecSlots();
  const greedy = ['a', 'b', 'c', 'd', 'e', 'f'];
  assert.equal(takeAll(places, greedy, 10), 37);
  assert.equal(typeof places.take('shop', 'victim'), 'function');
  const second = places.take('other', 'victim');
  assert.ok(typeof second !== 'function' && second.code === 'rate_limited');
});

test('a place that was given back can be taken again, and the last ones are not endless', () => {
  const places = createExecSlots();
  const many = Array.from({ length: 60 }, (_, index) => `caller ${index}`);
  assert.equal(takeAll(places, many, 1), 50);
  assert.notEqual(typeof places.take('shop', 'victim'), 'function');
  const freed = createExecSlots();
  for (let time = 0; time < 200; time++) {
    const giveBack = freed.take('shop', 'one');
    assert.ok(typeof giveBack === 'function');
    giveBack();
  }
});
