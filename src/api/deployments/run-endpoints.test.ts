import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';
import { addBan } from '../../store/bans.ts';
import { eventsAfter } from '../../store/events.ts';

let api: TestApi;
let sessionToken: string;
beforeEach(async () => {
  api = await testApi();
  ({
    body: { sessionToken },
  } = await api.postYaml('/startUserDeployment', shopYaml));
  const pods = ['web'].map((name) => ({
    name,
    state: 'ready',
    image: 'nginx:1',
    revision: 1,
    restarts: 0,
    restartedAt: [],
    settledRestarts: [0],
  }));
  await api.service.db
    .updateTable('deployments')
    .set({ state: 'running', progress: 100, servingRevision: 1, pods: JSON.stringify(pods) })
    .execute();
});

const row = () => api.service.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
const ask = (path: string, more: object = {}) => api.postJson(path, { applicationName: 'shop', sessionToken, ...more });
const intents = async () => {
  const events = await eventsAfter(api.service.db, (await row()).id, 0, 100);
  return events.flatMap((event) => (event.kind === 'intent' ? [event.intent] : []));
};

test('an application is stopped, reports that, and starts again; a repeated request changes nothing', async () => {
  const stopped = await ask('/stopApplication');
  assert.equal(stopped.status, 200, JSON.stringify(stopped.body));
  assert.match(stopped.body.message, /is stopped\. It keeps its address and its data/);
  const { state, health, message } = stopped.body.status;
  assert.deepEqual([state, health, message], ['running', 'stopped', 'stopped by its owner']);
  const { generation, stoppedAt } = await row();
  assert.equal((await ask('/stopApplication')).status, 200);
  assert.deepEqual([(await row()).generation, (await row()).stoppedAt], [generation, stoppedAt]);
  const waited = await api.get(`/getDeploymentStatus?applicationName=shop&sessionToken=${sessionToken}&wait=60`);
  assert.equal(waited.body.status.health, 'stopped', 'there is nothing to wait for');

  const refused = await ask('/restartPod', { pod: 'web' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'application_stopped']);
  const started = await ask('/startApplication');
  assert.deepEqual([started.status, started.body.status.health], [200, 'deploying']);
  assert.match((await ask('/startApplication')).body.message, /is not stopped/);
  assert.equal((await row()).stoppedAt, null);
  assert.deepEqual(await intents(), ['start', 'stop-application', 'start-application']);
});

test('a pod is restarted, and once while it waits to be started; a pod that is not there is refused with those that are', async () => {
  const restarted = await ask('/restartPod', { pod: 'web' });
  assert.equal(restarted.status, 200, JSON.stringify(restarted.body));
  assert.deepEqual([restarted.body.status.health, restarted.body.status.pods[0].state], ['deploying', 'waiting']);
  await ask('/restartPod', { pod: 'web' });
  assert.deepEqual([(await row()).restarts, (await intents()).at(-1)], ['{"web":1}', 'restart-pod']);
  for (const pod of ['nothing', 'constructor', '__proto__']) {
    const refused = await ask('/restartPod', { pod });
    assert.deepEqual([refused.status, refused.body.hint], [400, 'It has web.']);
  }
  assert.equal((await ask('/restartPod')).status, 400);
});

test('an update of a stopped application starts it, and a preview does not', async () => {
  await ask('/stopApplication');
  const yaml = shopYaml.replace('nginx:1', 'nginx:2');
  const preview = await api.postYaml(`/previewUserDeployment?sessionToken=${sessionToken}`, yaml);
  assert.equal(preview.status, 200);
  assert.notEqual((await row()).stoppedAt, null);
  assert.equal((await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml)).status, 200);
  assert.equal((await row()).stoppedAt, null);
});

test('after a failed update a restart restarts the serving revision, and the failure is still reported', async () => {
  await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, shopYaml.replace('nginx:1', 'nginx:2'));
  const explanation = JSON.stringify({ kind: 'failed', pods: ['web'], because: 'is bad', servingRevision: 1 });
  const ready = (await row()).pods.replace('waiting', 'ready');
  await api.service.db.updateTable('deployments').set({ state: 'failed', explanation, pods: ready }).execute();
  const { body } = await ask('/restartPod', { pod: 'web' });
  assert.deepEqual([body.status.state, body.status.servingRevision], ['failed', 1]);
  assert.match(body.status.message, /is bad/);
  assert.equal((await row()).restarts, '{"web":1}');
});

test('only its owner stops it, and a banned owner cannot start it again', async () => {
  const other = await api.postYaml('/startUserDeployment', shopYaml.replace('name: shop', 'name: other'));
  const refused = await api.postJson('/stopApplication', {
    applicationName: 'shop',
    sessionToken: other.body.sessionToken,
  });
  assert.equal(refused.status, 404);
  await ask('/stopApplication');
  await addBan(api.service.db, { kind: 'image', subject: 'nginx:1', reason: 'tests', createdAt: api.clock.now });
  assert.deepEqual((await ask('/startApplication')).body.code, 'image_banned');
  assert.notEqual((await row()).stoppedAt, null);
});
