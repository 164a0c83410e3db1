import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { type SnapshotShop, shopVolumes, startSnapshotShop } from '../../../test/support/snapshot-shop.ts';
import { deleteSuperseded } from '../../store/revisions.ts';
import { snapshotById } from '../../store/snapshots.ts';

let shop: SnapshotShop;
beforeEach(async () => {
  shop = await startSnapshotShop();
});

test('who is not claimed, has no volume, or has one under way, gets none', async () => {
  const { api, claim, create, looks, sessionToken } = shop;
  assert.equal((await create()).body.code, 'snapshot_needs_claim');
  await claim();
  const { body } = await create();
  assert.deepEqual([body.snapshot.state, body.snapshot.reason, looks()], ['asked', 'asked', 1]);
  assert.equal((await create()).body.code, 'snapshot_under_way');
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, shopYaml);
  const other = await testApi();
  other.service.snapshots = { wake() {} };
  const token = await other.startShop();
  await other.service.db.updateTable('deployments').set({ claimedAt: 1 }).execute();
  const without = await other.postJson('/createSnapshot', { applicationName: 'shop', sessionToken: token });
  assert.equal(without.body.code, 'volume_not_found');
});

test('without snapshots, all requests for one are refused with an explanation', async () => {
  const { api, claim, create, named, sessionToken, taken } = shop;
  await claim();
  const id = await taken();
  api.service.snapshots = undefined;
  const refused = [
    await create(),
    await api.get(`/getSnapshots?applicationName=shop&sessionToken=${sessionToken}`),
    await api.postJson('/restoreSnapshot', named({ snapshot: id })),
    await api.postJson('/restoreSnapshot?dryRun=true', named({ snapshot: id })),
  ];
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [409, 'snapshots_not_offered']);
});

test('the plan says how much all snapshots take', async () => {
  const { claim, create, listed, taken } = shop;
  await claim();
  await taken(10 * 2 ** 30);
  const { status, body } = await create();
  assert.deepEqual([status, body.code], [403, 'plan_limit_reached']);
  assert.match(body.hint, /^Delete a snapshot .*, or ask the operator for another plan\.$/);
  assert.deepEqual((await listed()).kept, { count: 7, bytes: 10 * 2 ** 30 });
});

test('a restore is previewed, requested once, and listed', async () => {
  const { api, claim, listed, named, taken } = shop;
  await claim();
  const id = await taken();
  const trial = await api.postJson('/restoreSnapshot?dryRun=true', named({ snapshot: id }));
  assert.deepEqual(
    [trial.body.dryRun, trial.body.stopped, trial.body.volumes, trial.body.left],
    [true, ['web'], ['web-data'], []],
  );
  assert.deepEqual((await listed()).restores, []);
  const requested = await api.postJson('/restoreSnapshot', named({ snapshot: id, volumes: ['web-data'] }));
  assert.equal(requested.body.restore?.state, 'asked', JSON.stringify(requested.body));
  const again = await api.postJson('/restoreSnapshot', named({ snapshot: id }));
  assert.deepEqual([again.status, again.body.code], [409, 'snapshot_under_way']);
  assert.deepEqual([(await listed()).restores.length, (await listed()).snapshots.length], [1, 1]);
  assert.equal((await api.postJson('/deleteSnapshot', named({ snapshot: id }))).body.code, 'snapshot_under_way');
});

test('no restore of snapshots that are not kept, of missing volumes, or of other owners', async () => {
  const { api, claim, named, taken } = shop;
  await claim();
  const id = await taken();
  const restore = async (more: object) => (await api.postJson('/restoreSnapshot', named(more))).body.code;
  assert.equal(await restore({ snapshot: 'nothing' }), 'snapshot_not_found');
  assert.equal(await restore({ snapshot: id, volumes: ['web-other'] }), 'volume_not_found');
  assert.equal(await restore({ snapshot: id, volumes: [] }), 'invalid_request');
  const { body } = await api.postYaml('/startUserDeployment', shopYaml + shopVolumes);
  for (const path of ['/restoreSnapshot', '/deleteSnapshot']) {
    const others = { applicationName: 'shop', sessionToken: body.sessionToken, snapshot: id };
    assert.equal((await api.postJson(path, others)).body.code, 'snapshot_not_found');
  }
});

test('one that is deleted is gone for its owner at once, and leaves its place later', async () => {
  const { api, claim, listed, named, taken } = shop;
  await claim();
  const id = await taken();
  const { status } = await api.postJson('/deleteSnapshot', named({ snapshot: id }));
  assert.equal(status, 200);
  assert.deepEqual((await listed()).snapshots, []);
  assert.equal((await snapshotById(api.service.db, id))?.state, 'leaving');
  assert.equal((await api.postJson('/restoreSnapshot', named({ snapshot: id }))).body.code, 'snapshot_not_found');
});

test('an update that changes a pod with volumes has a snapshot taken before, where its owner wants one', async () => {
  const { api, claim, create, listed, sessionToken } = shop;
  const update = (yaml: string, query = 'snapshot=true') =>
    api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}&${query}`, yaml);
  const changed = shopYaml.replace('nginx:1', 'nginx:2') + shopVolumes;
  assert.equal((await update(changed)).status, 200, 'nothing has ever run: there is nothing to keep');
  await api.service.db.updateTable('deployments').set({ servingRevision: 2 }).execute();
  const again = shopYaml.replace('nginx:1', 'nginx:3') + shopVolumes;
  assert.equal((await update(again)).body.code, 'snapshot_needs_claim');
  await claim();
  const { urlOf } = api.service;
  let previews = 0;
  api.service.urlOf = (label) => {
    previews += 1;
    return urlOf(label);
  };
  assert.equal((await update(again, 'snapshot=true&dryRun=true')).body.dryRun, true);
  assert.equal(previews, 1, 'what it does is computed once');
  api.service.urlOf = urlOf;
  assert.equal((await update(changed)).status, 200);
  assert.deepEqual((await listed()).snapshots, [], 'the same again touches nothing');
  await api.service.db.updateTable('deployments').set({ servingRevision: 3 }).execute();
  await create();
  assert.equal((await update(again)).status, 200);
  assert.equal((await update(changed)).status, 200, 'the next update waits for the same one');
  const [only, ...others] = (await listed()).snapshots;
  assert.deepEqual([only.reason, only.revision, others], ['before-update', 4, []]);
  api.service.snapshots = undefined;
  assert.equal((await update(again)).body.code, 'snapshots_not_offered');
});

test('the revision of a snapshot stays with it, however many come after', async () => {
  const { api, claim, named, sessionToken, taken } = shop;
  await claim();
  const id = await taken();
  const { db } = api.service;
  const { id: deploymentId } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  for (let number = 2; number <= 14; number++)
    await api.postYaml(
      `/updateUserDeployment?sessionToken=${sessionToken}`,
      shopYaml.replace('nginx:1', `nginx:${number}`) + shopVolumes,
    );
  const forget = async () => {
    await deleteSuperseded(db, { id: deploymentId, revision: 14, servingRevision: 14 }, []);
    const rows = await db.selectFrom('revisions').select('number').orderBy('number').execute();
    return rows.map(({ number }) => number);
  };
  assert.deepEqual((await forget()).slice(0, 2), [1, 5]);
  await api.postJson('/deleteSnapshot', named({ snapshot: id }));
  assert.equal((await forget())[0], 5);
});

test('who wants one before each update has it until that changes, and an update can do without once', async () => {
  const { api, claim, listed, named, sessionToken } = shop;
  const wish = (beforeUpdates: boolean) => api.postJson('/setSnapshotWishes', named({ beforeUpdates }));
  assert.equal((await wish(true)).body.code, 'snapshot_needs_claim');
  await claim();
  assert.deepEqual((await listed()).wishes, { beforeUpdates: false });
  const { status, body } = await wish(true);
  assert.deepEqual([status, body.wishes], [200, { beforeUpdates: true }]);
  await api.service.db.updateTable('deployments').set({ servingRevision: 1 }).execute();
  const update = async (tag: number, query = '') => {
    const yaml = shopYaml.replace('nginx:1', `nginx:${tag}`) + shopVolumes;
    const answer = await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}${query}`, yaml);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (await listed()).snapshots.length;
  };
  assert.equal(await update(2, '&snapshot=false'), 0);
  assert.equal(await update(3), 1);
  await api.postJson('/deleteSnapshot', named({ snapshot: (await listed()).snapshots[0].id }));
  const back = await api.postJson('/rollbackUserDeployment', named({ revision: 2 }));
  assert.equal(back.status, 200, JSON.stringify(back.body));
  assert.deepEqual(
    (await listed()).snapshots.map(({ reason }: { reason: string }) => reason),
    ['before-update'],
  );
  await wish(false);
  await api.postJson('/deleteSnapshot', named({ snapshot: (await listed()).snapshots[0].id }));
  assert.equal(await update(4), 0);
  await wish(true);
  await api.service.db
    .updateTable('deployments')
    .set({ claimedAt: null, expiresAt: 10 ** 15 })
    .execute();
  assert.equal(await update(5), 0, 'of what is claimed no more');
  await claim();
  api.service.snapshots = undefined;
  assert.equal((await wish(true)).body.code, 'snapshots_not_offered');
});
