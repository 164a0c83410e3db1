import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, hasPassed, printFaults } from './fault-table.ts';

const paused = {
  fault: 'container-paused',
  acknowledged: 120,
  lost: 0,
  recoveredMs: 2_340,
  message: 'It was\n paused.',
};
const missing = { fault: 'volume', acknowledged: 7, lost: 7, recoveredMs: null, message: 'x'.repeat(200) };

test('the drill prints a line for each fault, and a summary', () => {
  assert.equal(
    printFaults([paused, missing]),
    `FAULT             LOST      RECOVERED  MESSAGE
container-paused  0 of 120  2.3 s      It was paused.
volume            7 of 7    never      ${'x'.repeat(109)}…
2 faults, 1 failed
`,
  );
});

test('a fault has failed if a write is lost or if nothing recovers', () => {
  assert.equal(hasPassed(paused), true);
  assert.equal(hasPassed({ ...paused, lost: 1 }), false);
  assert.equal(hasPassed({ ...paused, recoveredMs: null }), false);
});

test('words choose faults by a part of their names', () => {
  const faults = [{ name: 'database-older' }, { name: 'database-missing' }, { name: 'clock-back' }];
  assert.deepEqual(choose(faults, []), faults);
  assert.deepEqual(choose(faults, ['older', 'clock']), [{ name: 'database-older' }, { name: 'clock-back' }]);
});
