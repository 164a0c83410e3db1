/** Two services on one PostgreSQL, each with the kubeconfig of another cluster. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { settleCluster } from '../../src/control/open.ts';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { otherServices } from '../../src/store/dialect/postgres.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { until } from '../scenarios/until.ts';
import { startPostgres } from '../support/postgres.ts';

const postgres = await startPostgres();
let [one, other]: [Store?, Store?] = [];

before(async () => {
  await (await postgres.openStore()).destroy();
  const databaseUrl = parsePostgresUrl(postgres.url('store'));
  const settings = { dataDir: '/nowhere', databaseUrl, databaseConnections: 3 };
  [one, other] = [await openStore(settings), await openStore(settings)];
});
after(async () => {
  for (const store of [one, other]) await store?.[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

test('of two services that start at once on an empty store one starts, and the other’s error names its cluster', async () => {
  for (let round = 0; round < 20; round++) {
    await one!.db.updateTable('installation').set({ cluster: null }).execute();
    const starts = [settleCluster(one!.db, 'one', false), settleCluster(other!.db, 'other', false)];
    const refused = (await Promise.allSettled(starts)).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1, `round ${round}`);
    const { reason } = refused[0] as PromiseRejectedResult;
    assert.match(String(reason), /Another service of this installation works on the cluster (one|other), and this is/);
  }
});

test('a cluster that a service has left, without resources there, does not block another one', async () => {
  await settleCluster(one!.db, 'one', true);
  await assert.rejects(settleCluster(other!.db, 'other', false), /works on the cluster one/);
  await assert.rejects(settleCluster(other!.db, undefined, false), /and this engine is not a cluster/);
  await one![Symbol.asyncDispose]();
  one = undefined;
  // The server ends a session some time after its client has closed the connection.
  await until('the sessions have ended', async () => (await otherServices(other!.db)).length === 0);
  await settleCluster(other!.db, 'other', false);
  await settleCluster(other!.db, undefined, false);
});
