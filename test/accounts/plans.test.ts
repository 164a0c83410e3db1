import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml } from '../support/api.ts';
import { apiWithAccounts } from './people.ts';

const Mi = 2 ** 20;
const hour = 3_600_000;
const tier = { name: 'small', deployments: 2, memoryBytes: 200 * Mi, allowsReservations: false, lifetimeMs: null };
const named = (name: string, memory = '64Mi') =>
  `${shopYaml.replace('shop', name)}      resources: { requests: { memory: ${memory} } }\n`;

test('a start beyond the deployments of the plan is refused, and fits again when one is removed', async () => {
  const api = await apiWithAccounts({}, { tiers: [tier] });
  const ada = await api.person('ada@example.com');
  const start = (name: string) => ada.post('/startUserDeployment', { yaml: named(name) });
  assert.equal((await start('one')).status, 200);
  assert.equal((await start('two')).status, 200);
  const { status, body } = await start('three');
  assert.deepEqual([status, body.code], [403, 'plan_limit_reached']);
  assert.equal(body.error, 'The plan "small" allows 2 deployments; the account has 2.');
  assert.equal(
    body.hint,
    'Remove a deployment that you no longer need (POST /removeDeploymentReservation), or ask the operator for another plan.',
  );
  await ada.post('/removeDeploymentReservation', { applicationName: 'one' });
  assert.equal((await start('three')).status, 200);
});

test('of starts at once no more succeed than the plan allows', async () => {
  const api = await apiWithAccounts({}, { tiers: [tier] });
  const ada = await api.person('ada@example.com');
  const starts = ['one', 'two', 'three', 'four'].map((name) => ada.post('/startUserDeployment', { yaml: named(name) }));
  const statuses = (await Promise.all(starts)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 200, 403, 403]);
});

test('memory is counted over all deployments, and an update for what it adds', async () => {
  const api = await apiWithAccounts({}, { tiers: [tier] });
  const ada = await api.person('ada@example.com');
  await ada.post('/startUserDeployment', { yaml: named('one', '100Mi') });
  const second = await ada.post('/startUserDeployment', { yaml: named('two', '150Mi') });
  assert.deepEqual([second.status, second.body.code], [403, 'plan_limit_reached']);
  assert.match(second.body.error, /allows 200 MiB of memory; the account has 100 MiB, and this would add 150 MiB/);
  assert.match(second.body.hint, /^Reduce .*, or remove a deployment .*, or ask the operator for another plan\.$/);
  assert.equal((await ada.post('/updateUserDeployment', { yaml: named('one', '180Mi') })).status, 200);
  assert.equal((await ada.post('/updateUserDeployment', { yaml: named('one', '201Mi') })).status, 403);
  assert.equal((await ada.post('/updateUserDeployment', { yaml: named('one', '10Mi') })).status, 200);
  assert.equal((await ada.get('/api/account')).body.usage.deployments, 1);
});

test('a token of a claimed session that may start more starts within the plan of its account', async () => {
  const api = await apiWithAccounts({}, { tiers: [tier] });
  const ada = await api.person('ada@example.com');
  const token = await api.startShop();
  await ada.post(await api.claimPath(token));
  const { body } = await ada.get('/api/tokens');
  await ada.post(`/api/tokens/${body.tokens[0].id}`, { starts: 'plan' });
  const start = (name: string) => api.postYaml(`/startUserDeployment?sessionToken=${token}`, named(name));
  assert.equal((await start('two')).status, 200);
  assert.equal((await start('three')).status, 403);
});

test('where the plan has a lifetime, what is claimed lives that long from the claim, and is not extended', async () => {
  const api = await apiWithAccounts({}, { tiers: [{ ...tier, lifetimeMs: 24 * hour }] });
  const ada = await api.person('ada@example.com');
  const token = await api.startShop();
  api.clock.now += hour;
  await ada.post(await api.claimPath(token));
  const { body } = await ada.get('/getReservations');
  assert.equal(body.reservedDeployments[0].expiresAt, '2026-01-02T13:00:00.000Z');
  const extended = await ada.post('/extendDeployment', { applicationName: 'shop' });
  assert.deepEqual([extended.status, extended.body.code], [409, 'already_claimed']);
  api.clock.now += 24 * hour;
  assert.deepEqual((await ada.get('/getReservations')).body, { reservedDeployments: [] });
});

test('a claim never makes a time limit earlier', async () => {
  const api = await apiWithAccounts({}, { tiers: [{ ...tier, lifetimeMs: hour }] });
  const ada = await api.person('ada@example.com');
  await ada.post(await api.claimPath(await api.startShop()));
  const { body } = await ada.get('/getReservations');
  assert.equal(body.reservedDeployments[0].expiresAt, '2026-01-01T14:00:00.000Z');
});

test('strangers are not held to a plan', async () => {
  const api = await apiWithAccounts({}, { tiers: [{ ...tier, deployments: 0 }] });
  assert.equal((await api.postYaml('/startUserDeployment', named('one'))).status, 200);
  const ada = await api.person('ada@example.com');
  assert.equal((await ada.post('/startUserDeployment', { yaml: named('one') })).status, 403);
});
