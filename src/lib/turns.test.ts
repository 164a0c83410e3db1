import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnEvery } from './turns.ts';

test('after so many things others have their turn, and not before the first', async () => {
  const next = turnEvery(3);
  const waits = Array.from({ length: 8 }, next);
  assert.deepEqual(
    waits.map((wait) => wait !== undefined),
    [false, false, false, true, false, false, true, false],
  );
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  await turnEvery(1)();
  assert.equal(hadTurn, false);
  const each = turnEvery(1);
  await each();
  await each();
  assert.equal(hadTurn, true);
});
