import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { committedInAll } from '../../store/commitments.ts';

const mebibyte = 2 ** 20;
const bigger = shopYaml.replace('image:', 'resources: { requests: { memory: 64Mi } }\n      image:');

test('a start that does not fit is refused with 503 and Retry-After, and leaves nothing', async () => {
  const api = await testApi();
  api.budget.memoryBytes = 48 * mebibyte;
  await api.startShop();
  const { status, headers, body } = await api.postYaml('/startUserDeployment', shopYaml);
  assert.equal(status, 503);
  assert.equal(headers['retry-after'], '60');
  assert.deepEqual(body, {
    code: 'capacity_exhausted',
    error: 'This server does not have enough memory left for application shop, which requests 32 MiB.',
    hint: 'Try again in 60 seconds. Smaller resources.requests.memory and resources.limits.memory reserve less.',
  });
  for (const table of ['deployments', 'sessions', 'revisions'] as const) {
    assert.equal((await api.service.db.selectFrom(table).selectAll().execute()).length, 1, table);
  }
  assert.equal(api.woken.length, 1);
});

test('of many starts at once, as many are admitted as fit', async () => {
  const api = await testApi();
  api.budget.memoryBytes = 3 * 32 * mebibyte;
  const starts = Array.from({ length: 8 }, () => api.postYaml('/startUserDeployment', shopYaml));
  const statuses = (await Promise.all(starts)).map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, 200, 200, 503, 503, 503, 503, 503]);
});

test('an update is charged for what it adds, and an update that adds nothing succeeds on a full host', async () => {
  const api = await testApi();
  api.budget.memoryBytes = 80 * mebibyte;
  await api.startShop();
  const token = await api.startShop();
  const update = (yaml: string) => api.postYaml('/updateUserDeployment', yaml, { authorization: `Bearer ${token}` });
  const refused = await update(bigger);
  assert.equal(refused.status, 503);
  assert.match(refused.body.error, /requests another 32 MiB\.$/);
  api.budget.memoryBytes = 0;
  api.budget.diskBytes = -1;
  assert.equal((await update(shopYaml)).status, 200);
});

test('what could never fit is refused as a fault of the configuration, with the line and the most that is possible', async () => {
  const api = await testApi();
  api.budget.emptyDiskBytes = 90 * 2 ** 30;
  const token = await api.startShop();
  const volume = shopYaml.replace(/$/, '      volumes: [{ name: data, mountPath: /data, size: 9Ti }]\n');
  const reported =
    '8:17 application.pods[0].volumes[0]: the application requests 9 TiB of disk space, and this server has 90 GiB at most (write at most 89Gi)';
  for (const { status, headers, body } of [
    await api.postYaml('/startUserDeployment', volume),
    await api.postYaml('/startUserDeployment?dryRun=true', volume),
    await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, volume),
  ]) {
    assert.deepEqual([status, body.code, body.errors], [400, 'invalid_configuration', [reported]]);
    assert.equal(headers['retry-after'], undefined);
    assert.equal(body.diagnostics[0].code, 'beyond-limit');
  }
  const possible = volume.replace('9Ti', '89Gi');
  assert.equal((await api.postYaml('/startUserDeployment', possible)).status, 200);
});

test('a start that fits an empty disk but not the present one is answered with a retry time', async () => {
  const api = await testApi();
  Object.assign(api.budget, { diskBytes: 2 ** 30, emptyDiskBytes: 90 * 2 ** 30 });
  const volume = shopYaml.replace(/$/, '      volumes: [{ name: data, mountPath: /data, size: 5Gi }]\n');
  const { status, headers, body } = await api.postYaml('/startUserDeployment', volume);
  assert.deepEqual([status, body.code, headers['retry-after']], [503, 'capacity_exhausted', '60']);
});

test('processors that the server does not have are refused in the same way', async () => {
  const api = await testApi();
  api.budget.cpuMillis = 10;
  const { status, body } = await api.postYaml('/startUserDeployment', shopYaml);
  assert.equal(status, 400);
  assert.match(body.error, /the application reserves 63m of processor time, and this server has 10m at most/);
});

describe('validating', () => {
  const limited = (memory: string) => shopYaml.replace(/$/, `      resources: { limits: { memory: ${memory} } }\n`);

  test('refuses 64 GiB of memory without an account, and so does a start', async () => {
    const api = await testApi({ strangers: { perSession: 9, perAddress: 9, memoryBytesPerAddress: 8 * 2 ** 30 } });
    const checked = await api.postYaml('/validate?fix=true', limited('64Gi'));
    assert.deepEqual([checked.status, checked.body.valid], [200, false]);
    const reported =
      '8:38 application.pods[0].resources.limits.memory: 64 GiB of memory are requested, and without an account 8 GiB are possible at most (write at most 8Gi)';
    assert.deepEqual([checked.body.errors, checked.body.fixedErrors], [[reported], [reported]]);
    const started = await api.postYaml('/startUserDeployment', limited('64Gi'));
    assert.deepEqual([started.status, started.body.errors], [400, [reported]]);
    assert.equal((await api.postYaml('/validate', limited('8Gi'))).body.valid, true);
    assert.equal((await api.postYaml('/startUserDeployment', limited('8Gi'))).status, 200);
  });

  test('reports it at the key of a Compose file that requests it', async () => {
    const api = await testApi({ strangers: { perSession: 9, perAddress: 9, memoryBytesPerAddress: 8 * 2 ** 30 } });
    const file = (memory: string) =>
      `services:\n  web:\n    image: nginx:1\n    ports: ["80"]\n    deploy:\n      resources:\n        limits:\n          memory: ${memory}\n`;
    const { body } = await api.postYaml('/validate', file('64g'));
    assert.equal(body.valid, false);
    assert.match(
      body.errors[0],
      /^8:19 services\.web\.deploy\.resources\.limits\.memory: .*64 GiB.*\(write at most 8Gi\)$/,
    );
    assert.equal((await api.postYaml('/validate', file('8Gi'))).body.valid, true);
  });

  test('reports it in addition to the other errors, but not for an invalid quantity', async () => {
    const api = await testApi({ strangers: { perSession: 9, perAddress: 9, memoryBytesPerAddress: 2 ** 30 } });
    api.budget.cpuMillis = 8000;
    const { body } = await api.postYaml('/validate', limited('2Gi').replace('path: /', 'path: "/a b"'));
    assert.deepEqual(
      body.diagnostics.map(({ severity, code }: Record<string, string>) => `${severity} ${code}`),
      ['error bad-value', 'error beyond-limit'],
    );
    const cores = shopYaml.replace(/$/, '      resources: { requests: { cpu: 500 } }\n');
    const found = (await api.postYaml('/validate', cores)).body.diagnostics;
    assert.deepEqual(
      found.map(({ code }: Record<string, string>) => code),
      ['unlikely-quantity'],
    );
  });

  test('needs no token and no engine, and ignores an unknown token', async () => {
    const api = await testApi();
    const { valid } = (await api.postYaml('/validate?sessionToken=nobody-knows-this-one', shopYaml)).body;
    assert.equal(valid, true);
    api.service.budget = async () => {
      throw new Error('the engine does not answer');
    };
    const { status, body } = await api.postYaml('/validate', shopYaml);
    assert.deepEqual([status, body.valid], [200, true]);
  });
});

test('a deployment counts with the larger of its requested and serving revisions until it is gone', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const { db } = api.service;
  const committed = async () => (await committedInAll(db)).memoryBytes / mebibyte;
  assert.equal(await committed(), 32);
  await db.updateTable('deployments').set({ servingRevision: 1 }).execute();
  await api.postYaml('/updateUserDeployment', bigger, { authorization: `Bearer ${token}` });
  assert.equal(await committed(), 64);
  await api.postYaml('/updateUserDeployment', shopYaml, { authorization: `Bearer ${token}` });
  assert.equal(await committed(), 32);
  await db.updateTable('deployments').set({ goneAt: 1 }).execute();
  assert.equal(await committed(), 0);
});
