import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierDatabase } from '../../../test/support/earlier-database.ts';

test('sessions of an earlier release keep their tokens; those that were claimed start free, an account’s own on its plan', async () => {
  const { db, migrator } = await earlierDatabase('0014-pods');
  const account = { id: 'ada', name: 'Ada', email: 'ada@example.com', emailVerified: 1, createdAt: '', updatedAt: '' };
  await db.insertInto('accounts').values(account).execute();
  const sessions = [
    { id: 'free', accountId: null, claimedAt: null },
    { id: 'claimed', accountId: 'ada', claimedAt: 9 },
    { id: 'own', accountId: 'ada', claimedAt: 7 },
  ];
  for (const { id, accountId, claimedAt } of sessions) {
    await db
      .insertInto('sessions')
      .values({ id, tokenHash: `hash of ${id}`, createdAt: 7, accountId })
      .execute();
    await db
      .insertInto('deployments')
      .values({
        id,
        sessionId: id,
        applicationName: 'shop',
        environment: 'jolly-tapir',
        label: id,
        claimedAt,
        revision: 1,
        generation: 1,
        state: 'running',
        progress: 100,
        pods: '[]',
        lastLines: '[]',
        endpoints: '[]',
        createdAt: 7,
        extensionsUsed: 0,
        progressedAt: 7,
      })
      .execute();
    await db
      .insertInto('origins')
      .values({ deploymentId: id, address: `address of ${id}`, client: id })
      .execute();
  }
  assert.equal((await migrator.migrateToLatest()).error, undefined);
  const rows = await db.selectFrom('sessions').selectAll().orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ id, tokenHash, tokenMadeAt, tokenMadeFrom, tokenEndedAt, starts }) =>
      [id, tokenHash, tokenMadeAt, tokenMadeFrom, tokenEndedAt, starts].join(', '),
    ),
    [
      'claimed, hash of claimed, 7, address of claimed, , free',
      'free, hash of free, 7, address of free, , free',
      'own, hash of own, 7, address of own, , plan',
    ],
  );
  await db.destroy();
});
