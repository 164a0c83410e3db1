import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';

const secretYaml = `${shopYaml}      vars: { API_TOKEN: hunter2-token }
      secrets: [{ name: key, fileName: key.pem, data: hunter3-key }]
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: hunter4-password }
      volumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]
`;

async function startSecretShop() {
  const api = await testApi();
  const { body } = await api.postYaml('/startUserDeployment', secretYaml);
  const authorization = { authorization: `Bearer ${body.sessionToken}` };
  return { api, token: body.sessionToken as string, authorization };
}

test('the owner gets the document as it was sent, with the outline of its pods', async () => {
  const { api, authorization } = await startSecretShop();
  const { status, body } = await api.get('/getDeploymentConfiguration?applicationName=shop', authorization);
  assert.equal(status, 200);
  assert.equal(body.yaml, secretYaml);
  assert.deepEqual([body.revision, body.servingRevision], [1, undefined]);
  assert.deepEqual(
    body.pods.map(({ name, paths, ports }: { name: string; paths: string[]; ports: number[] }) => [name, paths, ports]),
    [
      ['web', ['/'], [80]],
      ['db', [], [5432]],
    ],
  );
  assert.deepEqual(body.databases, [{ pod: 'db', url: 'postgresql://postgres:hunter4-password@db.pod:5432/postgres' }]);
  const { yaml: _, databases: __, ...outline } = body;
  assert.deepEqual((await api.get('/getDeploymentOutline?applicationName=shop', authorization)).body, outline);
  assert.ok(!JSON.stringify(outline).includes('hunter'));
  assert.deepEqual(body.pods[1].volumes, [{ name: 'data', size: '1 GiB', mountPath: '/var/lib/postgresql/data' }]);
});

test('after an update the document is the new one, and the serving revision is also returned', async () => {
  const { api, token, authorization } = await startSecretShop();
  await api.service.db.updateTable('deployments').set({ servingRevision: 1 }).execute();
  await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, shopYaml);
  const { body } = await api.get('/getDeploymentConfiguration?applicationName=shop', authorization);
  assert.deepEqual([body.yaml, body.revision, body.servingRevision], [shopYaml, 2, 1]);
});

test('another session gets no configuration and no preview', async () => {
  const { api } = await startSecretShop();
  const { body } = await api.postYaml('/startUserDeployment', shopYaml.replace('name: shop', 'name: other'));
  const stranger = { authorization: `Bearer ${body.sessionToken}` };
  for (const answer of [
    await api.get('/getDeploymentConfiguration?applicationName=shop', stranger),
    await api.get('/getDeploymentOutline?applicationName=shop', stranger),
    await api.postYaml('/previewUserDeployment', secretYaml, stranger),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [404, 'application_not_found']);
  }
  const nobody = await api.get('/getDeploymentConfiguration?applicationName=shop', { authorization: 'Bearer berth_x' });
  assert.deepEqual([nobody.status, nobody.body.code], [404, 'session_not_found']);
  const tokenless = await api.get('/getDeploymentConfiguration?applicationName=shop');
  assert.deepEqual([tokenless.status, tokenless.body.code], [401, 'missing_token']);
});

test('a preview shows the effect of an update on each pod, without a secret, and changes nothing', async () => {
  const { api, authorization } = await startSecretShop();
  await api.service.db.updateTable('deployments').set({ servingRevision: 1 }).execute();
  const next = secretYaml.replace('hunter2-token', 'hunter5-token').replace('postgres:15', 'postgres:16');
  const { status, body } = await api.postYaml('/previewUserDeployment', next, authorization);
  assert.equal(status, 200);
  const kept = { title: 'volume data of pod db', change: 'kept', sizeBytes: 2 ** 30, fromBytes: 2 ** 30 };
  const otherVersion = {
    code: 'other-database-version',
    message: 'PostgreSQL 16 does not start on the data of PostgreSQL 15',
    hint: 'keep 15, or dump the data first, give the volume another name and restore it there',
  };
  assert.deepEqual(body.pods, [
    {
      name: 'db',
      change: 'restarted',
      keepsData: true,
      volumes: [kept],
      because: 'its image (postgres:15 → postgres:16)',
      warnings: [otherVersion],
    },
    { name: 'web', change: 'replaced', keepsData: false, volumes: [], because: 'the variable API_TOKEN', warnings: [] },
  ]);
  assert.deepEqual([body.servingRevision, body.interrupted], [1, []]);
  const { revision } = await api.service.db.selectFrom('deployments').select('revision').executeTakeFirstOrThrow();
  assert.equal(revision, 1);
});

test('a preview reports oddities of the configuration, and that nothing serves if so', async () => {
  const { api, authorization } = await startSecretShop();
  const odd = secretYaml.replace('      servicePorts: [5432]', '      servicePorts: [5432]\n      comand: postgres');
  const { body } = await api.postYaml('/previewUserDeployment', odd, authorization);
  assert.match(body.warnings.join(), /comand/);
  assert.equal('servingRevision' in body, false);
});

test('a preview warns of a password that an existing database ignores, and reveals neither of them', async () => {
  const { api, authorization } = await startSecretShop();
  const next = secretYaml.replace('hunter4-password', 'hunter6-password');
  const { body } = await api.postYaml('/previewUserDeployment', next, authorization);
  assert.match(body.pods[0].warnings[0].message, /^POSTGRES_PASSWORD is read only when the database is created/);
  assert.doesNotMatch(JSON.stringify(body), /hunter/);
});

test('a preview shows the refusals of an update in addition to its effect', async () => {
  const { api, token, authorization } = await startSecretShop();
  const larger = secretYaml.replace('size: 1Gi', 'size: 5Gi');
  api.budget.diskBytes = 2 * 2 ** 30;
  const { status, body } = await api.postYaml('/previewUserDeployment', larger, authorization);
  const refused = await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, larger);
  assert.deepEqual([status, body.refusal.code, body.refusal.error], [200, 'capacity_exhausted', refused.body.error]);
  assert.equal(body.pods.length, 2);
  const same = await api.postYaml('/previewUserDeployment', secretYaml, authorization);
  assert.equal('refusal' in same.body, false);
  const { body: reservations } = await api.get('/getReservations', authorization);
  assert.equal(reservations.reservedDeployments[0].status.revision, 1, 'nothing was changed');
});

test('an invalid configuration has no preview, and is answered as an update of it would be', async () => {
  const { api, token, authorization } = await startSecretShop();
  const broken = secretYaml.replace('image: nginx:1', 'image: nginx');
  const preview = await api.postYaml('/previewUserDeployment', broken, authorization);
  const update = await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, broken);
  assert.equal(preview.status, 400);
  assert.deepEqual(preview.body, update.body);
});

test('updates that overlap become one revision after the other', async () => {
  const api = await testApi();
  const authorization = `Bearer ${await api.startShop()}`;
  const updates = [1, 2, 3].map(() => api.postYaml('/updateUserDeployment', shopYaml, { authorization }));
  const answers = await Promise.all(updates);
  assert.deepEqual(answers.map(({ status, body }) => [status, body.status.revision]).sort(), [
    [200, 2],
    [200, 3],
    [200, 4],
  ]);
});
