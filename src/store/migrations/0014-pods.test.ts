import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseFile, earlierDatabase } from '../../../test/support/earlier-database.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';
import { openDatabase } from '../database.ts';
import { deploymentById } from '../deployments.ts';
import { sqliteDialect } from '../dialect/sqlite.ts';

test('a deployment of an earlier release comes over with its state, and its pods are told when they were looked at', async (t) => {
  const file = databaseFile(t);
  const { db: before } = await earlierDatabase('0011-hashed-sign-ins', file);
  await before.insertInto('sessions').values({ id: 'session', tokenHash: 'hash', createdAt: 0 }).execute();
  const shop = {
    id: 'shop',
    sessionId: 'session',
    applicationName: 'shop',
    environment: 'jolly-tapir',
    label: 'shop',
    revision: 1,
    servingRevision: 1,
    generation: 1,
    state: 'running',
    progress: 100,
    message: '',
    pods: '[{"name":"web","state":"ready"}]',
    lastLines: '[]',
    endpoints: '[]',
    createdAt: 0,
    extensionsUsed: 0,
    progressedAt: 0,
  };
  await before.insertInto('deployments').values(shop).execute();
  await before.destroy();

  const db = await openDatabase(sqliteDialect(file));
  const { health, pods } = statusAt((await deploymentById(db, 'shop'))!, 1);
  assert.deepEqual([health, pods], ['running', []]);
  await db.destroy();
});
