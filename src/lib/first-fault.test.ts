import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportingFirstFault } from './first-fault.ts';

test('work that fails is done again, says whether it went well, and tells the first of failures in a row alone', async () => {
  const outcomes = ['well', 'first', 'second', 'well', 'third'];
  const told: unknown[] = [];
  const work = reportingFirstFault(
    async () => {
      const outcome = outcomes.shift();
      if (outcome !== 'well') throw outcome;
    },
    (fault) => told.push(fault),
  );
  const went: boolean[] = [];
  for (let times = 0; times < 5; times++) went.push(await work());
  assert.deepEqual(went, [true, false, false, true, false]);
  assert.deepEqual(told, ['first', 'third']);
});
