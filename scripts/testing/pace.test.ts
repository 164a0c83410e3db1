import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { atPace } from './pace.ts';

/** Creates tasks that the test ends one by one, and records which ones are running. */
function workOf(count: number) {
  const ends: (() => void)[] = [];
  const works = Array.from({ length: count }, (_, index) => async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return index;
  });
  return { works, ends };
}

/** A machine that has room while the test says so. */
function machine(hasRoom: boolean) {
  const state = { hasRoom };
  const look = async () => {
    await turn();
    return state.hasRoom;
  };
  return { state, look };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn();
}

test('a busy machine runs the minimum, an idle one the maximum, and each end makes room', async () => {
  const { works, ends } = workOf(7);
  const { state, look } = machine(false);
  const all = atPace(works, { least: 2, most: 4, hasRoom: look });
  await settle();
  assert.equal(ends.length, 2);
  state.hasRoom = true;
  await settle();
  assert.equal(ends.length, 4);
  state.hasRoom = false;
  ends[0]!();
  ends[1]!();
  await settle();
  assert.equal(ends.length, 4, 'two are under way');
  ends[2]!();
  await settle();
  assert.equal(ends.length, 5);
  state.hasRoom = true;
  await settle();
  assert.equal(ends.length, 7);
  for (const end of ends) end();
  assert.deepEqual(await all, [0, 1, 2, 3, 4, 5, 6]);
});

test('an empty list of work ends at once', async () => {
  assert.deepEqual(await atPace([], { least: 1, most: 1, hasRoom: async () => false }), []);
});
