import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, firstColumnsOf } from '../../../test/support/deployments.ts';
import { earlierDatabase } from '../../../test/support/earlier-database.ts';
import type { Database } from '../database.ts';
import { makeDue, releaseLease, settledHashes, takeLeases } from '../leases.ts';
import type { Tables } from '../rows.ts';
import { addSession } from '../sessions.ts';

test('what visits saw is written anew, and the release before goes on beside the one that comes after it', async () => {
  const { db: opened, migrator } = await earlierDatabase<Tables>('0022-committed-sum');
  const db: Database = opened;
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  const earlier = opened.withTables<{ leases: Record<string, unknown>; deployments: Record<string, unknown> }>();
  await earlier
    .insertInto('deployments')
    .values(firstColumnsOf(deploymentOf({ id: 'shop' })))
    .execute();
  await earlier.insertInto('leases').values({ deploymentId: 'shop', dueAt: 10, outline: 'as it was' }).execute();
  assert.equal((await migrator.migrateToLatest()).error, undefined);

  assert.equal((await settledHashes(db, ['shop'], 0)).size, 0, 'nothing is taken for seen that was not');
  await earlier.updateTable('leases').set({ outline: 'as it is' }).execute();
  await makeDue(db, 'shop', 0);
  const [lease] = await takeLeases(db, { now: 0, leaseMs: 5, horizonMs: 100, limit: 1 });
  await releaseLease(db, lease!, { dueAt: 10, observedHash: 'seen' });
  assert.deepEqual([...(await settledHashes(db, ['shop'], 0))], [['shop', 'seen']]);
  await db.destroy();
});
