import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyStore } from '../../test/support/empty-store.ts';
import { createDuty } from './duties.ts';

test('on SQLite there is one process, which has every duty', async () => {
  const db = await emptyStore();
  const duty = createDuty({ db, name: 'tidy', forMs: 1, process: undefined, now: () => 0 });
  assert.equal(await duty.take(), true);
  await duty.leave();
  await db.destroy();
});
