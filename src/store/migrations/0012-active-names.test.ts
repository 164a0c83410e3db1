import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kysely } from 'kysely';
import { deploymentOf, firstColumnsOf } from '../../../test/support/deployments.ts';
import { earlierDatabase } from '../../../test/support/earlier-database.ts';
import { activeDeployments, addDeployment, deploymentById, writeIntent } from '../deployments.ts';
import { idempotencyOf } from '../idempotency.ts';
import type { Tables } from '../rows.ts';

const shop = (id: string, fields: Parameters<typeof deploymentOf>[0] = {}) =>
  deploymentOf({ id, label: id, expiresAt: 1_000, ...fields });

test('two active deployments of one name in one session come over from an older database, and a third is refused', async () => {
  const { db: before, migrator } = await earlierDatabase<Tables>('0011-hashed-sign-ins');
  const rows = [
    shop('first', { createdAt: 1 }),
    shop('second', { createdAt: 2 }),
    shop('ended', { createdAt: 3, state: 'expired' }),
    shop('removed', { createdAt: 4, removedAt: 5 }),
    shop('another', { createdAt: 1, applicationName: 'another' }),
  ];
  // The columns as they were then.
  const then = before as unknown as Kysely<{ deployments: Record<string, unknown>; sessions: Record<string, unknown> }>;
  await then.insertInto('sessions').values({ id: 'session', tokenHash: 'hash', createdAt: 0 }).execute();
  for (const row of rows) {
    await then
      .insertInto('deployments')
      .values({ ...firstColumnsOf(row), message: '' })
      .execute();
  }
  const answer = { keyHash: 'key', bodyHash: 'body', deploymentId: 'first', sessionToken: new Uint8Array([1, 2]) };
  await before
    .insertInto('idempotency')
    .values({ ...answer, expiresAt: 100 })
    .execute();

  const latest = await migrator.migrateToLatest();
  assert.equal(latest.error, undefined);
  const active = async () => (await activeDeployments(before, 'session', 0)).map(({ id }) => id);
  assert.deepEqual(await active(), ['another', 'first', 'second']);
  assert.deepEqual(await deploymentById(before, 'first'), rows[0]);
  assert.deepEqual({ ...(await idempotencyOf(before, 'key', 0)) }, { ...answer, expiresAt: 100 });
  assert.equal(await addDeployment(before, shop('third')), false);
  // Each of them can be updated and ended as before.
  await writeIntent(before, 'first', { state: 'running' });
  await writeIntent(before, 'first', { removedAt: 9 });
  await writeIntent(before, 'second', { removedAt: 9 });
  assert.equal(await addDeployment(before, shop('third')), true);
});
