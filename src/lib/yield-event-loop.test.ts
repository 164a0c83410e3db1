import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yieldEvery } from './yield-event-loop.ts';

test('after so many things others have their turn, and not before the first', async () => {
  const next = yieldEvery(3);
  const waits = Array.from({ length: 8 }, next);
  assert.deepEqual(
    waits.map((wait) => wait !== undefined),
    [false, false, false, true, false, false, true, false],
  );
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  await yieldEvery(1)();
  assert.equal(hadTurn, false);
  const each = yieldEvery(1);
  await each();
  await each();
  assert.equal(hadTurn, true);
});
