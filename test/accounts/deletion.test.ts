import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEvent } from '../../src/deployment/event/event-text.ts';
import { eventsAfter } from '../../src/store/events.ts';
import { shopYaml } from '../support/api.ts';
import { apiWithAccounts, password } from './people.ts';

/** An account with a deployment that was claimed and one that its key has started. */
async function withDeployments() {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const token = await api.startShop();
  await ada.post(await api.claimPath(token));
  const { body: key } = await ada.post('/api/keys', { name: 'script' });
  const withKey = { authorization: `Bearer ${key.key}` };
  assert.equal((await api.postYaml('/startUserDeployment', shopYaml.replace('shop', 'blog'), withKey)).status, 200);
  return { api, ada, token, withKey };
}

const deletion = '/api/auth/delete-user';

test('with an account goes what has just expired and what is kept, too', async () => {
  const { api, ada } = await withDeployments();
  const { db } = api.service;
  await db.updateTable('deployments').set({ expiresAt: api.clock.now }).where('applicationName', '=', 'shop').execute();
  await db
    .updateTable('deployments')
    .set({ removedAt: api.clock.now, restorableUntil: api.clock.now + 1000 })
    .where('applicationName', '=', 'blog')
    .execute();
  assert.equal((await ada.post(deletion, { password })).status, 200);
  const rows = await db.selectFrom('deployments').select(['removedAt', 'restorableUntil']).execute();
  const ends = rows.map(({ removedAt, restorableUntil }) => [removedAt, restorableUntil]);
  assert.deepEqual(ends, Array(2).fill([api.clock.now, null]));
});

test('with an account its deployments are removed, and its keys, sign-ins and address are given up', async () => {
  const { api, ada, token, withKey } = await withDeployments();
  const bob = await api.person('bob@example.com');
  const bobs = await api.startShop();
  await bob.post(await api.claimPath(bobs));

  const { status, body } = await ada.post(deletion, { password });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((await ada.get('/api/account')).status, 401);
  assert.equal((await api.get('/getReservations', withKey)).status, 401);
  const list = async (token: string) => await api.get('/getReservations', { authorization: `Bearer ${token}` });
  assert.equal((await list(token)).status, 404);
  assert.equal((await list(bobs)).body.reservedDeployments.length, 1);

  const { db } = api.service;
  const rows = await db.selectFrom('deployments').select(['id', 'removedAt']).execute();
  assert.equal(rows.filter(({ removedAt }) => removedAt !== null).length, 2);
  const due = await db.selectFrom('leases').select('deploymentId').where('dueAt', '<=', api.clock.now).execute();
  for (const { id } of rows) assert.ok(due.some(({ deploymentId }) => deploymentId === id));
  const events = (await Promise.all(rows.map(({ id }) => eventsAfter(db, id, 0, 100)))).flat();
  assert.equal(events.filter((event) => describeEvent(event) === 'removed with its account').length, 2);
  assert.deepEqual(await db.selectFrom('apiKeys').selectAll().execute(), []);
  const accounts = await db.selectFrom('accounts').select('email').execute();
  assert.deepEqual(
    accounts.map(({ email }) => email),
    ['bob@example.com'],
  );
  assert.equal((await api.browser().signIn('ada@example.com')).status, 401);
  assert.equal((await api.browser().signUp('ada@example.com')).status, 200);
});

test('an account that has a password is not deleted without it, nor with another', async () => {
  const { api, ada, token } = await withDeployments();
  for (const [given, code] of [
    [{}, 'password_required'],
    [{ password: 'the wrong password' }, 'invalid_password'],
  ] as const) {
    const { status, body } = await ada.post(deletion, given);
    assert.deepEqual([status, body.code], [400, code]);
  }
  assert.equal((await ada.get('/api/account')).body.usage.deployments, 2);
  const { body } = await api.get('/getReservations', { authorization: `Bearer ${token}` });
  assert.equal(body.reservedDeployments.length, 1);
});

test('an account cannot be deleted from another site, or without a sign-in', async () => {
  const { api, ada } = await withDeployments();
  assert.equal((await api.browser().post(deletion, { password })).status, 401);
  const { status } = await ada.post(deletion, { password }, { origin: 'https://elsewhere.example' });
  assert.equal(status, 403);
  assert.equal((await ada.get('/api/account')).status, 200);
});
