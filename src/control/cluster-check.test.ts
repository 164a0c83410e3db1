import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf } from '../../test/support/deployments.ts';
import { emptyStore } from '../../test/support/empty-store.ts';
import type { Database } from '../store/database.ts';
import { addDeployment } from '../store/deployments.ts';
import { countByCluster } from '../store/installation.ts';
import { addSession } from '../store/sessions.ts';
import { settleCluster } from './open.ts';

async function storeWith(clusters: readonly (string | null)[], goneAt: number | null = null): Promise<Database> {
  const db = await emptyStore();
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  for (const [index, cluster] of clusters.entries()) {
    const name = `app-${index}`;
    await addDeployment(db, deploymentOf({ id: name, label: name, applicationName: name, goneAt }), cluster);
  }
  return db;
}

const counts = async (db: Database) => Object.fromEntries(await countByCluster(db));

test('a service does not start on another cluster than its deployments are on, and says where those are', async () => {
  const db = await storeWith(['one', 'one']);
  await settleCluster(db, 'one', false);
  await assert.rejects(settleCluster(db, 'other', false), (error: Error) => {
    assert.match(error.message, /2 on the cluster one, and this is the cluster other/);
    assert.match(error.message, /with the data that\nberth admin restore has restored/);
    return true;
  });
  await assert.rejects(settleCluster(db, undefined, false), /2 on the cluster one, and this engine is not a cluster/);
  assert.deepEqual(await counts(db), { one: 2 });
});

test('where the operator insists, all of them are on the new one from then on', async () => {
  const db = await storeWith(['one', null]);
  await settleCluster(db, 'other', true);
  assert.deepEqual(await counts(db), { other: 2 });
  await settleCluster(db, undefined, true);
  assert.deepEqual(await counts(db), { null: 2 });
});

test('earlier deployments with an unknown cluster are assigned to the service’s cluster', async () => {
  const db = await storeWith([null, 'one']);
  await settleCluster(db, 'one', false);
  assert.deepEqual(await counts(db), { one: 2 });
});

test('what is gone is nowhere', async () => {
  const db = await storeWith(['one'], 5);
  await settleCluster(db, 'other', false);
  assert.deepEqual(await counts(db), {});
});
