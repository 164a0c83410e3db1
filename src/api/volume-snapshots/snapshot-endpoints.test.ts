import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';
import { noteTaken, snapshotById } from '../../store/snapshots.ts';

const volumes = '      volumes: [{ name: data, size: 16Mi, mountPath: /data }]\n';

let api: TestApi;
let sessionToken: string;
let looks: number;
beforeEach(async () => {
  api = await testApi();
  looks = 0;
  api.service.snapshots = { look: () => void looks++ };
  ({
    body: { sessionToken },
  } = await api.postYaml('/startUserDeployment', shopYaml + volumes));
});

const named = (more: object = {}) => ({ applicationName: 'shop', sessionToken, ...more });
const create = () => api.postJson('/createSnapshot', named());
const listed = async () => (await api.get(`/getSnapshots?applicationName=shop&sessionToken=${sessionToken}`)).body;
const claim = () => api.service.db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute();

async function taken(totalBytes = 100): Promise<string> {
  const { body } = await create();
  const { id } = body.snapshot;
  const sizes = [{ volume: 'web-data', sizeBytes: 2 ** 24 }];
  const at = { placeId: `place-${id}`, takenAt: api.clock.now, volumes: sizes };
  await noteTaken(api.service.db, id, { ...at, totalBytes, addedBytes: totalBytes, pausedMs: 3 });
  return id;
}

test('who is not claimed, has no volume, or has one under way, gets none', async () => {
  assert.equal((await create()).body.code, 'snapshot_needs_claim');
  await claim();
  const { body } = await create();
  assert.deepEqual([body.snapshot.state, body.snapshot.reason, looks], ['asked', 'asked', 1]);
  assert.equal((await create()).body.code, 'snapshot_under_way');
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, shopYaml);
  const other = await testApi();
  other.service.snapshots = { look() {} };
  const token = await other.startShop();
  await other.service.db.updateTable('deployments').set({ claimedAt: 1 }).execute();
  const without = await other.postJson('/createSnapshot', { applicationName: 'shop', sessionToken: token });
  assert.equal(without.body.code, 'volume_not_found');
});

test('where none can be taken, all that asks for one is refused in words', async () => {
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
  await claim();
  await taken(10 * 2 ** 30);
  const { status, body } = await create();
  assert.deepEqual([status, body.code], [403, 'plan_limit_reached']);
  assert.deepEqual((await listed()).kept, { count: 7, bytes: 10 * 2 ** 30 });
});

test('a restore is told before, asked for once, and listed', async () => {
  await claim();
  const id = await taken();
  const trial = await api.postJson('/restoreSnapshot?dryRun=true', named({ snapshot: id }));
  assert.deepEqual(
    [trial.body.dryRun, trial.body.stopped, trial.body.volumes, trial.body.left],
    [true, ['web'], ['web-data'], []],
  );
  assert.deepEqual((await listed()).restores, []);
  const asked = await api.postJson('/restoreSnapshot', named({ snapshot: id, volumes: ['web-data'] }));
  assert.equal(asked.body.restore?.state, 'asked', JSON.stringify(asked.body));
  const again = await api.postJson('/restoreSnapshot', named({ snapshot: id }));
  assert.deepEqual([again.status, again.body.code], [409, 'snapshot_under_way']);
  assert.deepEqual([(await listed()).restores.length, (await listed()).snapshots.length], [1, 1]);
  assert.equal((await api.postJson('/deleteSnapshot', named({ snapshot: id }))).body.code, 'snapshot_under_way');
});

test('nothing is restored of what is not kept, of volumes that are not there, or of somebody else', async () => {
  await claim();
  const id = await taken();
  const restore = async (more: object) => (await api.postJson('/restoreSnapshot', named(more))).body.code;
  assert.equal(await restore({ snapshot: 'nothing' }), 'snapshot_not_found');
  assert.equal(await restore({ snapshot: id, volumes: ['web-other'] }), 'volume_not_found');
  assert.equal(await restore({ snapshot: id, volumes: [] }), 'invalid_request');
  const { body } = await api.postYaml('/startUserDeployment', shopYaml + volumes);
  for (const path of ['/restoreSnapshot', '/deleteSnapshot']) {
    const others = { applicationName: 'shop', sessionToken: body.sessionToken, snapshot: id };
    assert.equal((await api.postJson(path, others)).body.code, 'snapshot_not_found');
  }
});

test('one that is deleted is gone for its owner at once, and leaves its place later', async () => {
  await claim();
  const id = await taken();
  const { status } = await api.postJson('/deleteSnapshot', named({ snapshot: id }));
  assert.equal(status, 200);
  assert.deepEqual((await listed()).snapshots, []);
  assert.equal((await snapshotById(api.service.db, id))?.state, 'leaving');
  assert.equal((await api.postJson('/restoreSnapshot', named({ snapshot: id }))).body.code, 'snapshot_not_found');
});

test('an update that touches a pod with volumes has a snapshot taken before, where its owner wants one', async () => {
  const update = (yaml: string, query = 'snapshot=true') =>
    api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}&${query}`, yaml);
  const changed = shopYaml.replace('nginx:1', 'nginx:2') + volumes;
  assert.equal((await update(changed)).status, 200, 'nothing has ever run: there is nothing to keep');
  await api.service.db.updateTable('deployments').set({ servingRevision: 2 }).execute();
  const again = shopYaml.replace('nginx:1', 'nginx:3') + volumes;
  assert.equal((await update(again)).body.code, 'snapshot_needs_claim');
  await claim();
  assert.equal((await update(again, 'snapshot=true&dryRun=true')).body.dryRun, true);
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
