import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { addAccount } from '../../../test/support/accounts.ts';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';
import { generatedValue } from '../../deployment/workload/derived-secrets.ts';
import { forgetSuperseded, revisionOf, settleImage } from '../../store/revisions.ts';
import { derivationOf } from '../../store/seeds.ts';
import { accountOfSession } from '../../store/sessions.ts';
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

/** Whose session it is from now on. `starts`: what its token may start. */
async function attach(starts: 'plan' | 'free'): Promise<string> {
  const { db } = api.service;
  const id = 'someone';
  await addAccount(db, id);
  await db.updateTable('sessions').set({ accountId: id, starts }).execute();
  return id;
}

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
  assert.match(body.hint, /^Delete one .*, or ask the operator for another plan\.$/);
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

test('beside it another deployment is started by the revision of the snapshot, of the same account, and counted', async () => {
  await claim();
  const { db, seal } = api.service;
  const accountId = await attach('plan');
  const yaml = `${shopYaml + volumes}      vars: { PASSWORD: <% SECRET PASSWORD %> }\n`;
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml);
  const id = await taken();
  const [old] = await db.selectFrom('deployments').selectAll().execute();
  await settleImage(db, old!.id, 2, { image: 'nginx:1', reference: 'nginx@sha256:1', by: 'registry' });
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml.replace('nginx:1', 'nginx:2'));
  const beside = (query = '', more: object = {}) =>
    api.postJson(`/restoreSnapshot${query}`, named({ snapshot: id, beside: true, ...more }));

  const trial = await beside('?dryRun=true');
  assert.deepEqual([trial.body.dryRun, trial.body.volumes, trial.body.stopped], [true, ['web-data'], []]);
  assert.equal((await db.selectFrom('deployments').select('id').execute()).length, 1, 'a trial starts nothing');
  assert.equal((await beside('', { volumes: ['web-other'] })).body.code, 'volume_not_found');

  const { status, body } = await beside();
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
  const { body: refused } = await beside();
  assert.equal(refused.code, 'plan_limit_reached');
  assert.equal((await beside('?dryRun=true')).body.code, 'plan_limit_reached');
});

test('beside, databases that would begin empty are named before, and left so only where the others are asked for', async () => {
  const books =
    '    - { name: books, image: "postgres:15", servicePorts: [5432], vars: { POSTGRES_PASSWORD: x }, volumes: [{ name: data, size: 16Mi, mountPath: /data }] }\n';
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, `${shopYaml + volumes}${books}`);
  await claim();
  const id = await taken();
  const dumps = JSON.stringify([{ pod: 'books', kind: 'postgres', volumes: ['books-data'] }]);
  await api.service.db.updateTable('snapshots').set({ dumps }).execute();
  const beside = (more: object = {}) =>
    api.postJson('/restoreSnapshot?dryRun=true', named({ snapshot: id, beside: true, ...more }));
  const { body } = await beside();
  assert.equal(body.code, 'volume_not_found', JSON.stringify(body));
  assert.match(body.error, /has books-data as dumps, .* these volumes would begin empty/);
  const chosen = (await beside({ volumes: ['web-data'] })).body;
  assert.deepEqual([chosen.volumes, chosen.left], [['web-data'], ['books-data']], JSON.stringify(chosen));
});

test('a snapshot that is deleted while a start beside is prepared is not restored, and nothing is started', async () => {
  await claim();
  await attach('plan');
  const { service } = api;
  const id = await taken();
  const { budget } = service;
  // Asked for after the first look at the snapshot, and before the transaction.
  service.budget = async () => {
    assert.equal((await api.postJson('/deleteSnapshot', named({ snapshot: id }))).status, 200);
    return await budget();
  };
  const { body } = await api.postJson('/restoreSnapshot', named({ snapshot: id, beside: true }));
  assert.equal(body.code, 'snapshot_not_found', JSON.stringify(body));
  assert.equal((await service.db.selectFrom('deployments').select('id').execute()).length, 1);
});

test('a token that may only start free ones gets a free one, which the account has all the same', async () => {
  await claim();
  const { db } = api.service;
  const accountId = await attach('free');
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

test('the revision of a snapshot stays with it, however many come after', async () => {
  await claim();
  const id = await taken();
  const { db } = api.service;
  const { id: deploymentId } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  for (let number = 2; number <= 14; number++)
    await api.postYaml(
      `/updateUserDeployment?sessionToken=${sessionToken}`,
      shopYaml.replace('nginx:1', `nginx:${number}`) + volumes,
    );
  const forget = async () => {
    await forgetSuperseded(db, { id: deploymentId, revision: 14, servingRevision: 14 }, []);
    const rows = await db.selectFrom('revisions').select('number').orderBy('number').execute();
    return rows.map(({ number }) => number);
  };
  assert.deepEqual((await forget()).slice(0, 2), [1, 5]);
  await api.postJson('/deleteSnapshot', named({ snapshot: id }));
  assert.equal((await forget())[0], 5);
});

test('who wants one before each update has it until that changes, and an update can do without once', async () => {
  const wish = (beforeUpdates: boolean) => api.postJson('/setSnapshotWishes', named({ beforeUpdates }));
  assert.equal((await wish(true)).body.code, 'snapshot_needs_claim');
  await claim();
  assert.deepEqual((await listed()).wishes, { beforeUpdates: false });
  const { status, body } = await wish(true);
  assert.deepEqual([status, body.wishes], [200, { beforeUpdates: true }]);
  await api.service.db.updateTable('deployments').set({ servingRevision: 1 }).execute();
  const update = async (tag: number, query = '') => {
    const yaml = shopYaml.replace('nginx:1', `nginx:${tag}`) + volumes;
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
