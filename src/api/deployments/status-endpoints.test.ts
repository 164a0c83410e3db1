import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { podStatusOf } from '../../../test/support/deployments.ts';
import { writeIntent } from '../../store/deployments.ts';
import { addEvents } from '../../store/events.ts';

test('the status warns of a volume that is getting full, and no more when it has room again or no pod has it', async () => {
  const api = await testApi();
  const volumes = `${shopYaml}      volumes: [{ name: data, size: 1Gi, mountPath: /data }]\n`;
  const { sessionToken: token } = (await api.postYaml('/startUserDeployment', volumes)).body;
  const { db } = api.service;
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const reportLevel = async (level: 'nearly full' | 'roomy', percent: number) => {
    const volume = { volume: 'web-data', title: 'volume data of pod web', sizeBytes: 2 ** 30 };
    await addEvents(db, id, [{ at: api.clock.now, event: { kind: 'disk', disk: 'level', ...volume, level, percent } }]);
    return (await api.get('/getDeploymentStatus?applicationName=shop', { authorization: `Bearer ${token}` })).body
      .status;
  };
  assert.deepEqual((await reportLevel('nearly full', 93)).disk, [
    {
      at: '2026-01-01T12:00:00.000Z',
      message: 'volume data of pod web is 93 % full (of 1 GiB): make it larger or delete files',
      volume: 'web-data',
      level: 'nearly full',
      percent: 93,
    },
  ]);
  assert.equal((await reportLevel('roomy', 20)).disk, undefined);
  assert.equal((await reportLevel('nearly full', 93)).disk.length, 1);
  await api.postYaml('/updateUserDeployment', shopYaml, { authorization: `Bearer ${token}` });
  assert.equal((await reportLevel('nearly full', 93)).disk, undefined);
});

test('events stream with their numbers, resume after Last-Event-ID, and end when the deployment is gone', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const { db } = api.service;
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  await addEvents(db, id, [{ at: api.clock.now, event: { kind: 'pod', pod: 'web', state: 'ready' } }]);
  await db.updateTable('deployments').set({ goneAt: api.clock.now }).execute();

  const url = '/getDeploymentEvents?applicationName=shop';
  const all = await api.get(url, { authorization: `Bearer ${token}` });
  assert.equal(all.headers['content-type'], 'text/event-stream');
  assert.equal(
    all.body,
    'id: 1\nevent: intent\ndata: {"at":"2026-01-01T12:00:00.000Z","kind":"intent","intent":"start","revision":1,' +
      '"number":1,"message":"started","count":1,"firstAt":"2026-01-01T12:00:00.000Z"}\n\n' +
      'id: 2\nevent: pod\ndata: {"at":"2026-01-01T12:00:00.000Z","kind":"pod","pod":"web","state":"ready",' +
      '"number":2,"message":"ready","count":1,"firstAt":"2026-01-01T12:00:00.000Z"}\n\n',
  );
  const rest = await api.get(url, { authorization: `Bearer ${token}`, 'last-event-id': '1' });
  assert.match(rest.body, /^id: 2\n/);
});

test('without following, the events of a deployment that runs end with the last one so far', async () => {
  const api = await testApi();
  const authorization = `Bearer ${await api.startShop()}`;
  const soFar = await api.get('/getDeploymentEvents?applicationName=shop&follow=false', { authorization });
  assert.match(soFar.body, /^id: 1\nevent: intent\ndata: .*\n\n$/);
  const url = '/getDeploymentEvents?applicationName=shop&follow=false';
  assert.equal((await api.get(url, { authorization, 'last-event-id': '1' })).body, '');
});

test('a stream sees events that come later and ends when the service closes', { timeout: 60_000 }, async (context) => {
  const api = await testApi();
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  context.after(() => api.app.close());
  const { port } = api.app.server.address() as { port: number };
  const headers = { authorization: `Bearer ${await api.startShop()}` };
  const { db } = api.service;
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const path = '/getDeploymentEvents?applicationName=shop';
  const stream = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path, headers, agent: false }, resolve).on('error', reject);
  });
  const steps = [
    {
      seen: '"message":"started"',
      next: () => addEvents(db, id, [{ at: 0, event: { kind: 'progress', progress: 42 } }]),
    },
    { seen: '"message":"42"', next: () => api.app.close() },
  ];
  let text = '';
  for await (const chunk of stream) {
    text += chunk;
    if (steps[0] && text.includes(steps[0].seen)) void steps.shift()!.next();
  }
  assert.deepEqual(steps, []);
  assert.match(text, /event: progress\ndata: .*"42"/);
});

test('an update of a failed deployment is on its way: nothing in its answer or its status has failed', async () => {
  const api = await testApi();
  const authorization = `Bearer ${await api.startShop()}`;
  const { db } = api.service;
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const because = 'listens on 3000, not on 80';
  await writeIntent(db, id, {
    state: 'failed',
    explanation: { kind: 'failed', pods: ['web'], because },
    pods: JSON.stringify([podStatusOf('web', { state: 'failed', message: because })]),
  });
  const { body } = await api.postYaml('/updateUserDeployment', shopYaml, { authorization });
  const read = await api.get('/getDeploymentStatus?applicationName=shop', { authorization });
  for (const { state, health, pods } of [body.status, read.body.status]) {
    assert.deepEqual([state, health], ['deploying', 'deploying']);
    assert.deepEqual(pods, [{ name: 'web', state: 'waiting', image: 'node:26-slim', revision: 1, restarts: 0 }]);
  }
});

test('the advice of a failure names the port that the pod listens on, and the one that is declared', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const advice = { kind: 'use-port', pod: 'web', port: 8081, instead: 3000 };
  const explanation = JSON.stringify({ kind: 'failed', pods: ['web'], because: 'is not ready', advice });
  await api.service.db.updateTable('deployments').set({ state: 'failed', explanation }).execute();
  const { body } = await api.get(`/getDeploymentStatus?applicationName=shop&sessionToken=${token}`);
  assert.deepEqual(body.status.advice, { kind: 'use-port', pod: 'web', listensOn: 8081, declared: 3000 });
});
