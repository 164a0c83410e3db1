import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml } from '../support/api.ts';
import { apiWithAccounts } from './people.ts';

const hour = 3_600_000;
const named = (name: string) => shopYaml.replace('shop', name);

async function withKey() {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { body } = await ada.post('/api/keys', { name: 'deploy script' });
  const headers = { authorization: `Bearer ${body.key}` };
  return { api, ada, key: body as { id: string; name: string; key: string }, headers };
}

test('a key is shown once, stored hashed, and known from a session token by its first letters', async () => {
  const { api, ada, key } = await withKey();
  assert.match(key.key, /^berthkey_[A-Za-z0-9_-]{32}$/);
  const { body } = await ada.get('/api/keys');
  assert.deepEqual(body.keys, [
    { id: key.id, name: 'deploy script', start: key.key.slice(0, 13), createdAt: '2026-01-01T12:00:00.000Z' },
  ]);
  const rows = await api.service.db.selectFrom('apiKeys').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(key.key));
  assert.ok(!api.lines.join('').includes(key.key));
});

test('what a key starts is claimed from the beginning and belongs to the account', async () => {
  const { api, ada, headers } = await withKey();
  const { status, body } = await api.postYaml('/startUserDeployment', shopYaml, headers);
  assert.equal(status, 200);
  assert.deepEqual([body.claim, body.extend.available], [{ claimed: true }, false]);
  assert.match(body.sessionToken, /^berth_/);
  api.clock.now += 1000 * hour;
  for (const answer of [await api.get('/getReservations', headers), await ada.get('/getReservations')]) {
    assert.equal(answer.body.reservedDeployments[0].url, body.url);
  }
  assert.equal((await api.get('/api/account', headers)).body.usage.deployments, 1);
});

test('a key works on every endpoint that needs a caller, for the deployments of all sessions of the account', async () => {
  const { api, ada, headers } = await withKey();
  await ada.post(await api.claimPath(await api.startShop()));
  api.clock.now += 1; // They are listed oldest first.
  await api.postYaml('/startUserDeployment', named('blog'), headers);
  const { body } = await api.get('/getReservations', headers);
  assert.deepEqual(
    body.reservedDeployments.map(({ applicationName }: never) => applicationName),
    ['shop', 'blog'],
  );
  const application = { applicationName: 'shop' };
  assert.equal((await api.postYaml('/updateUserDeployment', shopYaml, headers)).status, 200);
  assert.equal((await api.get('/getDeploymentStatus?applicationName=shop', headers)).status, 200);
  assert.equal((await api.get('/getDeploymentLogs?applicationName=shop', headers)).status, 200);
  assert.equal((await api.postJson('/extendDeployment', application, headers)).status, 409);
  assert.equal((await api.postJson('/claimDeployment', application, headers)).status, 409);
  assert.equal((await api.postJson('/addDeploymentReservation', application, headers)).status, 500);
  assert.equal((await api.postJson('/removeReservations', {}, headers)).status, 200);
  assert.equal((await api.postJson('/removeDeploymentReservation', application, headers)).status, 200);
  assert.equal((await api.get('/getReservations', headers)).body.reservedDeployments.length, 1);
  // An account without deployments has an empty list; only a session token dies.
  await api.postJson('/removeDeploymentReservation', { applicationName: 'blog' }, headers);
  assert.deepEqual((await api.get('/getReservations', headers)).body, { reservedDeployments: [] });
});

test('of two applications with one name the environment says which', async () => {
  const { api, headers } = await withKey();
  const { body: first } = await api.postYaml('/startUserDeployment', shopYaml, headers);
  api.clock.now += 1; // They are listed oldest first.
  const { body: second } = await api.postYaml('/startUserDeployment', shopYaml, headers);
  const refused = await api.postJson('/removeDeploymentReservation', { applicationName: 'shop' }, headers);
  assert.deepEqual([refused.status, refused.body.code], [409, 'ambiguous_application']);
  assert.match(refused.body.hint, new RegExp(`${first.environment}, ${second.environment}`));
  const update = await api.postYaml(`/updateUserDeployment?environment=${second.environment}`, shopYaml, headers);
  assert.equal(update.body.url, second.url);
  const { environment } = first;
  await api.postJson('/removeDeploymentReservation', { applicationName: 'shop', environment }, headers);
  const { body } = await api.get('/getDeploymentStatus?applicationName=shop', headers);
  assert.equal(body.environment, second.environment);
  const unknown = await api.postJson(
    '/extendDeployment',
    { applicationName: 'shop', environment: 'no-where' },
    headers,
  );
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'application_not_found']);
});

test('a revoked key, an unknown one and one in an address open nothing', async () => {
  const { api, ada, key, headers } = await withKey();
  assert.equal((await api.get(`/getReservations?sessionToken=${key.key}`)).status, 404);
  const unknown = await api.get('/getReservations', { authorization: `Bearer ${key.key.slice(0, -1)}` });
  assert.deepEqual([unknown.status, unknown.body.code], [401, 'invalid_api_key']);
  assert.equal((await ada.delete(`/api/keys/${key.id}`)).status, 200);
  for (const answer of [
    await api.get('/getReservations', headers),
    await api.get('/api/account', headers),
    await api.postYaml('/startUserDeployment', shopYaml, headers),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_api_key']);
  }
  assert.deepEqual((await ada.get('/api/keys')).body, { keys: [] });
});

test('only a signed-in account creates, lists and revokes its own keys', async () => {
  const { api, ada, key, headers } = await withKey();
  const eve = await api.person('eve@example.com');
  assert.deepEqual((await eve.get('/api/keys')).body, { keys: [] });
  const stolen = await eve.delete(`/api/keys/${key.id}`);
  assert.deepEqual([stolen.status, stolen.body.code], [404, 'api_key_not_found']);
  // A key that has leaked must not make others that outlive it.
  assert.equal((await api.postJson('/api/keys', { name: 'another' }, headers)).status, 401);
  assert.equal((await api.send('DELETE', `/api/keys/${key.id}`, undefined, headers)).status, 401);
  assert.equal((await ada.get('/api/keys')).body.keys.length, 1);
});

test('a key wins over a cookie, and needs no origin', async () => {
  const { ada, api, headers } = await withKey();
  const eve = await api.person('eve@example.com');
  const evil = { ...headers, origin: 'https://evil.example' };
  assert.equal((await eve.post('/removeReservations', {}, evil)).status, 200);
  assert.equal((await eve.get('/api/account', headers)).body.email, 'ada@example.com');
  assert.equal((await ada.post('/removeReservations', {}, { origin: 'https://evil.example' })).status, 403);
});

test('the last use of a key is shown to the minute', async () => {
  const { api, ada, headers } = await withKey();
  await api.get('/getReservations', headers);
  api.clock.now += 30_000;
  await api.get('/getReservations', headers);
  const lastUsedAt = async () => (await ada.get('/api/keys')).body.keys[0].lastUsedAt;
  assert.equal(await lastUsedAt(), '2026-01-01T12:00:00.000Z');
  api.clock.now += 30_000;
  await api.get('/getReservations', headers);
  assert.equal(await lastUsedAt(), '2026-01-01T12:01:00.000Z');
});

test('a retry of a start with the same Idempotency-Key is the same deployment for one account, not for another', async () => {
  const { api, headers } = await withKey();
  const idempotent = { 'idempotency-key': 'a-key-of-some-length' };
  const first = await api.postYaml('/startUserDeployment', shopYaml, { ...headers, ...idempotent });
  const again = await api.postYaml('/startUserDeployment', shopYaml, { ...headers, ...idempotent });
  assert.equal(again.body.url, first.body.url);
  const anonymous = await api.postYaml('/startUserDeployment', shopYaml, idempotent);
  assert.notEqual(anonymous.body.url, first.body.url);
});

test('a stream that was opened with a key ends when the key is revoked', async () => {
  const { api, ada, key, headers } = await withKey();
  await api.postYaml('/startUserDeployment', shopYaml, headers);
  const url = '/getDeploymentEvents?applicationName=shop';
  const stream = await api.app.inject({ url, headers, payloadAsStream: true });
  const ended = Array.fromAsync(stream.stream());
  assert.equal((await ada.delete(`/api/keys/${key.id}`)).status, 200);
  // It would not end by itself: the deployment is there, and stays.
  await ended;
});
