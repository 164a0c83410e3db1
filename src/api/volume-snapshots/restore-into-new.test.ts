import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { addAccount } from '../../../test/support/accounts.ts';
import { shopYaml } from '../../../test/support/api.ts';
import { type SnapshotShop, shopVolumes, startSnapshotShop } from '../../../test/support/snapshot-shop.ts';
import { generatedValue } from '../../deployment/workload/derived-secrets.ts';
import { revisionOf, settleImage } from '../../store/revisions.ts';
import { derivationOf } from '../../store/seeds.ts';
import { accountOfSession } from '../../store/sessions.ts';

let shop: SnapshotShop;
beforeEach(async () => {
  shop = await startSnapshotShop();
});

/** Attaches the session to an account and returns its id. `starts`: the kind of deployments that the token can start. */
async function attach({ api }: SnapshotShop, starts: 'plan' | 'free'): Promise<string> {
  const { db } = api.service;
  const id = 'someone';
  await addAccount(db, id);
  await db.updateTable('sessions').set({ accountId: id, starts }).execute();
  return id;
}

test('a snapshot starts another deployment of the same revision and account, which counts toward the plan', async () => {
  const { api, claim, named, sessionToken, taken } = shop;
  await claim();
  const { db, seal } = api.service;
  const accountId = await attach(shop, 'plan');
  const yaml = `${shopYaml + shopVolumes}      vars: { PASSWORD: <% SECRET PASSWORD %> }\n`;
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml);
  const id = await taken();
  const [old] = await db.selectFrom('deployments').selectAll().execute();
  await settleImage(db, old!.id, 2, { image: 'nginx:1', reference: 'nginx@sha256:1', by: 'registry' });
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml.replace('nginx:1', 'nginx:2'));
  const other = (query = '', more: object = {}) =>
    api.postJson(`/restoreSnapshot${query}`, named({ snapshot: id, beside: true, ...more }));

  const trial = await other('?dryRun=true');
  assert.deepEqual([trial.body.dryRun, trial.body.volumes, trial.body.stopped], [true, ['web-data'], []]);
  assert.equal((await db.selectFrom('deployments').select('id').execute()).length, 1, 'a trial starts nothing');
  assert.equal((await other('', { volumes: ['web-other'] })).body.code, 'volume_not_found');

  const { status, body } = await other();
  assert.equal(status, 200, JSON.stringify(body));
  const { started, restore } = body;
  assert.deepEqual([restore.state, restore.isBeside, restore.snapshot], ['asked', true, id]);
  assert.equal(started.applicationName, 'shop');
  assert.notEqual(started.environment, old!.environment);
  assert.notEqual(started.sessionToken, sessionToken);
  const one = await db.selectFrom('deployments').selectAll().where('environment', '=', started.environment).execute();
  const { id: newId, claimedAt, expiresAt, sessionId } = one[0]!;
  assert.deepEqual([claimedAt !== null, expiresAt], [true, null]);
  assert.equal(await accountOfSession(db, sessionId), accountId);
  const revision = await revisionOf(db, seal, newId, 1);
  assert.deepEqual([revision.spec.pods[0]!.image, revision.images], ['nginx:1', { 'nginx:1': 'nginx@sha256:1' }]);
  const [values, others] = await Promise.all([derivationOf(db, seal, old!.id), derivationOf(db, seal, newId)]);
  assert.deepEqual(generatedValue('PASSWORD', others), generatedValue('PASSWORD', values));
  const mine = (await api.get(`/getSnapshots?applicationName=shop&sessionToken=${started.sessionToken}`)).body;
  assert.deepEqual([mine.snapshots, mine.restores.length], [[], 1]);
  assert.equal((await api.postJson('/deleteSnapshot', named({ snapshot: id }))).body.code, 'snapshot_under_way');

  api.service.settings.tiers = [{ ...api.service.settings.tiers[0], deployments: 2 }];
  const { body: refused } = await other();
  assert.equal(refused.code, 'plan_limit_reached');
  assert.equal((await other('?dryRun=true')).body.code, 'plan_limit_reached');
});

test('a restore into a new deployment refuses to leave databases empty, unless the request names the other volumes', async () => {
  const { api, claim, named, sessionToken, taken } = shop;
  const books =
    '    - { name: books, image: "postgres:15", servicePorts: [5432], vars: { POSTGRES_PASSWORD: x }, volumes: [{ name: data, size: 16Mi, mountPath: /data }] }\n';
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, `${shopYaml + shopVolumes}${books}`);
  await claim();
  const id = await taken();
  const dumps = JSON.stringify([{ pod: 'books', kind: 'postgres', volumes: ['books-data'] }]);
  await api.service.db.updateTable('snapshots').set({ dumps }).execute();
  const other = (more: object = {}) =>
    api.postJson('/restoreSnapshot?dryRun=true', named({ snapshot: id, beside: true, ...more }));
  const { body } = await other();
  assert.equal(body.code, 'volume_not_found', JSON.stringify(body));
  assert.match(body.error, /has books-data as dumps, .* these volumes would start empty/);
  const chosen = (await other({ volumes: ['web-data'] })).body;
  assert.deepEqual([chosen.volumes, chosen.left], [['web-data'], ['books-data']], JSON.stringify(chosen));
});

test('a snapshot that is deleted while its restore is prepared starts no deployment', async () => {
  const { api, claim, named, taken } = shop;
  await claim();
  await attach(shop, 'plan');
  const { service } = api;
  const id = await taken();
  const { budget } = service;
  // The endpoint reads the budget between its first read of the snapshot and the transaction.
  service.budget = async () => {
    assert.equal((await api.postJson('/deleteSnapshot', named({ snapshot: id }))).status, 200);
    return await budget();
  };
  const { body } = await api.postJson('/restoreSnapshot', named({ snapshot: id, beside: true }));
  assert.equal(body.code, 'snapshot_not_found', JSON.stringify(body));
  assert.equal((await service.db.selectFrom('deployments').select('id').execute()).length, 1);
});

test('a token that can only start free deployments starts a free one, which belongs to the account', async () => {
  const { api, claim, named, taken } = shop;
  await claim();
  const { db } = api.service;
  const accountId = await attach(shop, 'free');
  const id = await taken();
  const { body } = await api.postJson('/restoreSnapshot', named({ snapshot: id, beside: true }));
  assert.equal(body.started.claimed, false);
  assert.match(body.message, /It is free and expires/);
  const sessions = await db.selectFrom('sessions').select(['accountId', 'starts']).execute();
  assert.deepEqual(
    sessions.map(({ accountId, starts }) => [accountId, starts]),
    Array(2).fill([accountId, 'free']),
  );
});
