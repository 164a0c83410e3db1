import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { settleRevision } from '../../store/revision-history.ts';
import { deleteSuperseded } from '../../store/revisions.ts';

const worker = '    - name: worker\n      image: redis:7\n';
const second = `${shopYaml}${worker}`;
const third = shopYaml.replace('image: nginx:1', 'image: nginx:2');

/** A deployment with three revisions: the first two have run, the last one has failed. */
async function shopWithHistory() {
  const api = await testApi();
  const { db } = api.service;
  const { body } = await api.postYaml('/startUserDeployment', shopYaml);
  const token = body.sessionToken as string;
  const authorization = { authorization: `Bearer ${token}` };
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const settle = (number: number, outcome: 'running' | 'failed') =>
    settleRevision(db, id, { number, outcome, at: api.clock.now + 1000 });
  await settle(1, 'running');
  for (const [index, yaml] of [second, third].entries()) {
    api.clock.now += 60_000;
    await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, yaml);
    await settle(index + 2, index === 0 ? 'running' : 'failed');
  }
  await db.updateTable('deployments').set({ servingRevision: 2, state: 'failed' }).execute();
  return { api, id, token, authorization };
}

test('the owner reads who requested each revision, its outcome, its duration and its changes', async () => {
  const { api, authorization } = await shopWithHistory();
  const { status, body } = await api.get('/getDeploymentRevisions?applicationName=shop', authorization);
  assert.equal(status, 200);
  assert.deepEqual(body.revisions, [
    {
      number: 3,
      createdAt: '2026-01-01T12:02:00.000Z',
      askedBy: 'session',
      state: 'failed',
      settledAt: '2026-01-01T12:02:01.000Z',
      durationMs: 1000,
      isCurrent: true,
      isServing: false,
      changes: { added: [], changed: ['web'], removed: ['worker'] },
    },
    {
      number: 2,
      createdAt: '2026-01-01T12:01:00.000Z',
      askedBy: 'session',
      state: 'running',
      settledAt: '2026-01-01T12:01:01.000Z',
      durationMs: 1000,
      isCurrent: false,
      isServing: true,
      changes: { added: ['worker'], changed: [], removed: [] },
    },
    {
      number: 1,
      createdAt: '2026-01-01T12:00:00.000Z',
      askedBy: 'session',
      state: 'running',
      settledAt: '2026-01-01T12:00:01.000Z',
      durationMs: 1000,
      isCurrent: false,
      isServing: false,
    },
  ]);
});

test('the document of each revision that is kept can be read, and of no other one', async () => {
  const { api, authorization } = await shopWithHistory();
  const of = (revision: string) =>
    api.get(`/getDeploymentConfiguration?applicationName=shop&revision=${revision}`, authorization);
  assert.deepEqual(
    [(await of('1')).body.yaml, (await of('2')).body.yaml, (await of('2')).body.revision],
    [shopYaml, second, 2],
  );
  const missing = await of('9');
  assert.deepEqual([missing.status, missing.body.code], [404, 'revision_not_found']);
  assert.match(missing.body.hint, /3, 2, 1/);
  assert.equal((await of('x')).body.code, 'invalid_request');
});

test('a rollback is an update with the document of the last revision that ran, or of the one that is named', async () => {
  const { api, authorization } = await shopWithHistory();
  const dry = await api.postJson('/rollbackUserDeployment?dryRun=true', { applicationName: 'shop' }, authorization);
  assert.equal(dry.status, 200, JSON.stringify(dry.body));
  assert.deepEqual([dry.body.dryRun, dry.body.revision, dry.body.repeats], [true, 4, 2]);
  // Against what runs, which is that revision: the third has never served.
  assert.deepEqual(
    dry.body.pods.map(({ name, change }: { name: string; change: string }) => [name, change]),
    [
      ['worker', 'unchanged'],
      ['web', 'unchanged'],
    ],
  );
  const { body } = await api.postJson('/rollbackUserDeployment', { applicationName: 'shop' }, authorization);
  assert.deepEqual([body.revision, body.repeats, body.status.state], [4, 2, 'deploying']);
  const configuration = await api.get('/getDeploymentConfiguration?applicationName=shop', authorization);
  assert.deepEqual([configuration.body.revision, configuration.body.yaml], [4, second]);
  const history = await api.get('/getDeploymentRevisions?applicationName=shop', authorization);
  assert.deepEqual([history.body.revisions[0].repeats, history.body.revisions[0].state], [2, 'deploying']);

  const named = { applicationName: 'shop', revision: 1 };
  assert.equal((await api.postJson('/rollbackUserDeployment', named, authorization)).body.repeats, 1);
  const missing = await api.postJson('/rollbackUserDeployment', { ...named, revision: 77 }, authorization);
  assert.deepEqual([missing.status, missing.body.code], [404, 'revision_not_found']);
});

test('where nothing has run before there is nothing to go back to', async () => {
  const api = await testApi();
  const { body } = await api.postYaml('/startUserDeployment', shopYaml);
  const requested = { applicationName: 'shop', sessionToken: body.sessionToken };
  const answer = await api.postJson('/rollbackUserDeployment', requested);
  assert.deepEqual([answer.status, answer.body.code], [404, 'revision_not_found']);
});

test('another session reads no revisions and goes back to none', async () => {
  const { api } = await shopWithHistory();
  const { body } = await api.postYaml('/startUserDeployment', shopYaml.replace('name: shop', 'name: other'));
  const stranger = { authorization: `Bearer ${body.sessionToken}` };
  for (const answer of [
    await api.get('/getDeploymentRevisions?applicationName=shop', stranger),
    await api.postJson('/rollbackUserDeployment', { applicationName: 'shop' }, stranger),
  ])
    assert.deepEqual([answer.status, answer.body.code], [404, 'application_not_found']);
});

test('ten revisions are kept, and the one that serves', async () => {
  const { api, id, token, authorization } = await shopWithHistory();
  for (let number = 4; number <= 14; number += 1)
    await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, number % 2 === 0 ? second : third);
  await deleteSuperseded(api.service.db, { id, revision: 14, servingRevision: 2 }, []);
  const { body } = await api.get('/getDeploymentRevisions?applicationName=shop', authorization);
  const numbers = body.revisions.map(({ number }: { number: number }) => number);
  assert.deepEqual(numbers, [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 2]);
  assert.equal(body.revisions.at(-2).changes, undefined, 'the one before it is no longer kept');
  assert.equal(body.revisions.at(-3).state, 'superseded');
});
