import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportingFirstFault } from './rounds.ts';

test('failed work is repeated, returns whether it succeeded, and reports only the first of several failures in a row', async () => {
  const outcomes = ['well', 'first', 'second', 'well', 'third'];
  const reported: unknown[] = [];
  const work = reportingFirstFault(
    async () => {
      const outcome = outcomes.shift();
      if (outcome !== 'well') throw outcome;
    },
    (fault) => reported.push(fault),
  );
  const went: boolean[] = [];
  for (let times = 0; times < 5; times++) went.push(await work());
  assert.deepEqual(went, [true, false, false, true, false]);
  assert.deepEqual(reported, ['first', 'third']);
});
