import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committedInAll } from '../store/commitments.ts';
import { shopYaml, testApi } from './testing.ts';

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
    error: 'This server has not enough memory left for application shop, which asks for 32 MiB.',
    hint: 'Try again in 60 seconds. Less is set aside for smaller resources.requests.memory and resources.limits.memory.',
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

test('an update is asked for what it adds, and one that adds nothing goes through on a full host', async () => {
  const api = await testApi();
  api.budget.memoryBytes = 48 * mebibyte;
  const token = await api.startShop();
  const update = (yaml: string) => api.postYaml('/updateUserDeployment', yaml, { authorization: `Bearer ${token}` });
  const refused = await update(bigger);
  assert.equal(refused.status, 503);
  assert.match(refused.body.error, /asks for another 32 MiB\.$/);
  api.budget.memoryBytes = 0;
  api.budget.diskBytes = -1;
  assert.equal((await update(shopYaml)).status, 200);
});

test('what could never fit says so', async () => {
  const api = await testApi();
  api.budget.cpuMillis = 10;
  const { body } = await api.postYaml('/startUserDeployment', shopYaml);
  assert.equal(body.error, 'Application shop asks for 63m of processor time; this server does not have that much.');
});

test('a deployment counts with the larger of what is asked for and what serves, until it is gone', async () => {
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
