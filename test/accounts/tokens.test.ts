/** Each sentence of the interface on how a token is given, what it reaches and how long it is valid. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { clientHeader } from '../../src/api/requests/client-address.ts';
import { shopYaml } from '../support/api.ts';
import { apiWithAccounts } from './people.ts';

const hour = 3_600_000;
const named = (name: string) => shopYaml.replace('shop', name);

test('the token is sent as a query parameter to update, list and start, and as a field to the others', async () => {
  const api = await apiWithAccounts();
  const sessionToken = await api.startShop();
  const query = `?sessionToken=${sessionToken}`;
  const body = { applicationName: 'shop', sessionToken };
  assert.equal((await api.postYaml(`/startUserDeployment${query}`, named('blog'))).body.sessionToken, sessionToken);
  assert.equal((await api.postYaml(`/updateUserDeployment${query}`, shopYaml)).status, 200);
  assert.equal((await api.get(`/getReservations${query}`)).status, 200);
  assert.equal((await api.postJson('/extendDeployment', body)).status, 200);
  assert.equal((await api.postJson('/claimDeployment', body)).status, 200);
  assert.equal((await api.postJson('/addDeploymentReservation', body)).status, 500);
  assert.equal((await api.postJson('/removeDeploymentReservation', body)).status, 200);
  assert.equal((await api.postJson('/removeReservations', { sessionToken })).status, 200);
  // Without a token or another credential, each of them refuses.
  for (const path of [
    '/extendDeployment',
    '/claimDeployment',
    '/addDeploymentReservation',
    '/removeDeploymentReservation',
  ]) {
    const { status, headers, body } = await api.postJson(path, { applicationName: 'shop' });
    assert.deepEqual([status, body.code], [401, 'missing_token'], path);
    assert.match(String(headers['www-authenticate']), /^Bearer realm="Berth", resource_metadata="http/, path);
  }
});

test('start, validate and schema need no token', async () => {
  const api = await apiWithAccounts();
  assert.equal((await api.postYaml('/startUserDeployment', shopYaml)).status, 200);
  assert.equal((await api.postYaml('/validate', shopYaml)).status, 200);
  assert.equal((await api.get('/schema')).status, 200);
});

test('a token reads and changes the deployments of its session and no others, also when one account has both', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const [mine, other] = [await api.startShop(), await api.startShop()];
  await api.postYaml(`/startUserDeployment?sessionToken=${other}`, named('blog'));
  for (const token of [mine, other]) assert.equal((await ada.post(await api.claimPath(token))).status, 200);

  const before = await api.service.db.selectFrom('deployments').selectAll().execute();
  const body = { applicationName: 'blog', sessionToken: mine };
  const bearer = { authorization: `Bearer ${mine}` };
  const answers = [
    await api.postYaml(`/updateUserDeployment?sessionToken=${mine}`, named('blog')),
    await api.postJson('/extendDeployment', body),
    await api.postJson('/claimDeployment', body),
    await api.postJson('/addDeploymentReservation', body),
    await api.postJson('/removeDeploymentReservation', body),
    await api.get('/getDeploymentStatus?applicationName=blog', bearer),
    await api.get('/getDeploymentEvents?applicationName=blog', bearer),
    await api.get('/getDeploymentLogs?applicationName=blog', bearer),
  ];
  for (const { status, body } of answers) assert.deepEqual([status, body.code], [404, 'application_not_found']);
  assert.equal((await api.postJson('/removeReservations', { sessionToken: mine })).status, 200);
  assert.deepEqual(await api.service.db.selectFrom('deployments').selectAll().execute(), before);
  const { body: list } = await api.get('/getReservations', bearer);
  assert.equal(list.reservedDeployments.length, 1);
});

test('a token reads and changes no data of an account', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const token = await api.startShop();
  await ada.post(await api.claimPath(token));
  const bearer = { authorization: `Bearer ${token}` };
  for (const path of ['/api/account', '/api/keys']) assert.equal((await api.get(path, bearer)).status, 401, path);
  assert.equal((await api.postJson('/api/keys', { name: 'x' }, bearer)).status, 401);
  assert.equal((await api.get('/api/auth/get-session', bearer)).body, null);
  const link = await api.claimPath(await api.startShop());
  assert.equal((await api.postJson(link, {}, bearer)).status, 401);
});

test('a token is valid while its session has an active deployment', async () => {
  const api = await apiWithAccounts();
  const token = await api.startShop();
  api.clock.now += hour;
  await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named('blog'));
  // The first has expired, the second has not.
  api.clock.now += 1.5 * hour;
  const { status, body } = await api.get(`/getReservations?sessionToken=${token}`);
  assert.deepEqual([status, body.reservedDeployments.length], [200, 1]);
  api.clock.now += hour;
  assert.equal((await api.get(`/getReservations?sessionToken=${token}`)).status, 404);
});

test('a token is valid while its session has a reservation, beyond every time limit', async () => {
  const tier = { name: 'pro', deployments: 3, memoryBytes: 2 ** 30, allowsReservations: true, lifetimeMs: hour };
  const api = await apiWithAccounts({}, { tiers: [tier] });
  const token = await api.startShop();
  const ada = await api.person('ada@example.com');
  await ada.post(await api.claimPath(token));
  await api.postJson('/addDeploymentReservation', { applicationName: 'shop', sessionToken: token });
  api.clock.now += 100 * hour;
  assert.equal((await api.get(`/getReservations?sessionToken=${token}`)).status, 200);
  await api.postJson('/removeReservations', { sessionToken: token });
  assert.equal((await api.get(`/getReservations?sessionToken=${token}`)).status, 404);
});

test('when all deployments are removed or expired, a new token comes with a new deployment only', async () => {
  const api = await apiWithAccounts();
  const token = await api.startShop();
  await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named('blog'));
  await api.postJson('/removeDeploymentReservation', { applicationName: 'blog', sessionToken: token });
  api.clock.now += 3 * hour;
  for (const answer of [
    await api.postYaml(`/startUserDeployment?sessionToken=${token}`, shopYaml),
    await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, shopYaml),
    await api.postJson('/extendDeployment', { applicationName: 'shop', sessionToken: token }),
    await api.postJson('/removeReservations', { sessionToken: token }),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [404, 'session_not_found']);
  }
  const fresh = await api.startShop();
  assert.notEqual(fresh, token);
  assert.equal((await api.get(`/getReservations?sessionToken=${fresh}`)).status, 200);
});

test('that a token is used is noted once a minute, and a request is answered where nothing can be noted', async () => {
  const api = await apiWithAccounts();
  const { db } = api.service;
  const token = await api.startShop();
  const use = async (address: string) =>
    (await api.get(`/getReservations?sessionToken=${token}`, { [clientHeader]: address })).status;
  const noted = async () => {
    const row = await db.selectFrom('sessions').select(['tokenUsedAt', 'tokenUsedFrom']).executeTakeFirstOrThrow();
    return [row.tokenUsedAt, row.tokenUsedFrom];
  };
  const begin = api.clock.now;
  assert.equal(await use('192.0.2.1'), 200);
  assert.deepEqual(await noted(), [begin, '192.0.2.1']);
  // As on a full disk: writes are refused.
  await sql`create trigger "full" before update on "sessions" begin select raise(abort, 'full'); end`.execute(db);
  api.clock.now += 59_999;
  assert.equal(await use('192.0.2.2'), 200);
  assert.ok(!api.lines.join('').includes('was not noted'), 'within the minute nothing is written');
  api.clock.now += 1;
  assert.equal(await use('192.0.2.3'), 200);
  assert.ok(api.lines.join('').includes('was not noted'));
  await sql`drop trigger "full"`.execute(db);
  assert.equal(await use('192.0.2.4'), 200);
  assert.deepEqual(await noted(), [begin + 60_000, '192.0.2.4']);
});
