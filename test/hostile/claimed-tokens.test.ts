/** The rights of the session's token after another user has claimed by a claim link. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientHeader } from '../../src/api/requests/client-address.ts';
import { type ApiWithAccounts, apiWithAccounts } from '../accounts/people.ts';
import { shopYaml } from '../support/api.ts';

const minute = 60_000;
const hour = 60 * minute;
const named = (name: string) => shopYaml.replace('shop', name);
const lavish = { name: 'lavish', deployments: 9, memoryBytes: 2 ** 33, allowsReservations: true, lifetimeMs: null };

/** The victim has claimed what the attacker's link showed; the attacker has kept the token. */
async function claimed(confirmation = {}, tiers: [typeof lavish] = [lavish]) {
  const api = await apiWithAccounts({}, { tiers });
  const token = await api.startShop();
  const victim = await api.person('victim@example.com');
  const { status, body } = await victim.post(await api.claimPath(token), confirmation);
  assert.equal(status, 200, JSON.stringify(body));
  return { api, token, victim };
}

const start = (api: ApiWithAccounts, token: string, name: string, headers = {}) =>
  api.postYaml(`/startUserDeployment?sessionToken=${token}`, named(name), headers);

const usageOf = async (person: { get: (path: string) => Promise<{ body: { usage: object } }> }) =>
  (await person.get('/api/account')).body.usage;

test('a start with a claimed session’s token takes nothing of the owner’s plan: it is free, and expires', async () => {
  const { api, token, victim } = await claimed();
  const before = await usageOf(victim);
  const { status, body } = await start(api, token, 'miner');
  assert.deepEqual([status, body.claim, body.extend.available], [200, { claimed: false }, true]);
  assert.ok(Date.parse(body.extend.expiresAt) <= api.clock.now + 2 * hour);
  assert.deepEqual(await usageOf(victim), before);
  const held = await api.postJson('/addDeploymentReservation', { applicationName: 'miner', sessionToken: token });
  assert.equal(held.body.code, 'plan_does_not_allow_reservations');
  api.clock.now += 2 * hour;
  const { body: list } = await victim.get('/getReservations');
  assert.deepEqual(
    list.reservedDeployments.map(({ applicationName }: never) => applicationName),
    ['shop'],
  );
});

test('such a start has the limits of a stranger, and so has an update of it', async () => {
  const { api, token } = await claimed();
  api.service.settings.strangers = { perSession: 2, perAddress: 1, memoryBytesPerAddress: 2 ** 28 };
  const from = { [clientHeader]: '192.0.2.66' };
  assert.equal((await start(api, token, 'one', from)).status, 200);
  assert.equal((await start(api, token, 'two', from)).body.code, 'client_limit_reached');
  const large = named('one').replace('path: /', 'path: /\n      resources: { limits: { memory: 2Gi } }');
  const updated = await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, large, from);
  assert.notEqual(updated.status, 200, 'an update beyond a stranger’s limits');
});

test('what is attached between the look at the claim page and the click is not claimed unseen', async () => {
  const api = await apiWithAccounts();
  const token = await api.startShop();
  const link = await api.claimPath(token);
  const victim = await api.person('victim@example.com');
  const { body: view } = await victim.get(`/api/claims/${link.split('/').at(-1)}`);
  const urls = (view.attached ?? []).map(({ url }: { url: string }) => url);
  await start(api, token, 'phishing');
  const { status, body } = await victim.post(link, { urls });
  assert.deepEqual([status, body.code], [409, 'claim_changed']);
  assert.deepEqual((await victim.get('/getReservations')).body.reservedDeployments, []);
  const { body: again } = await victim.get(`/api/claims/${link.split('/').at(-1)}`);
  const seen = again.attached.map(({ url }: { url: string }) => url);
  assert.equal((await victim.post(link, { urls: seen })).body.attached.length, 2);
});

test('with the box of the claim page the token has no power from the claim on', async () => {
  const { api, token, victim } = await claimed({ endToken: true });
  await isPowerless(api, token);
  assert.equal((await victim.get('/getReservations')).body.reservedDeployments.length, 1);
});

test('the owner sees the token with its traces, and ends it at once', async () => {
  const { api, token, victim } = await claimed();
  // A use is noted once a minute.
  api.clock.now += minute;
  await api.get('/getReservations', { authorization: `Bearer ${token}`, [clientHeader]: '203.0.113.66' });
  const { body } = await victim.get('/api/tokens');
  const [shown] = body.tokens;
  assert.deepEqual([body.tokens.length, shown.lastUsedFrom], [1, '203.0.113.66']);
  assert.equal((await victim.delete(`/api/tokens/${shown.id}`)).status, 200);
  await isPowerless(api, token);
});

test('what had begun with the token before its end is not answered after it', async () => {
  const { api, token, victim } = await claimed();
  const query = `?applicationName=shop&sessionToken=${token}`;
  const open = (path: string) => api.app.inject({ url: path, payloadAsStream: true });
  const streams = [
    await open(`/getDeploymentEvents${query}`),
    await open(`/getDeploymentLogs${query}&follow=true`),
    await open(`/getDeploymentLogs${query}&follow=true`),
  ];
  const waiting = api.get(`/getDeploymentStatus${query}&wait=120`);
  const ends = streams.map(async (stream) => await Array.fromAsync(stream.stream()));
  const { body } = await victim.get('/api/tokens');
  await victim.delete(`/api/tokens/${body.tokens[0].id}`);
  // None of them would end by itself: the deployment is there, and stays.
  await Promise.all(ends);
  const { status, body: refusal } = await waiting;
  assert.deepEqual([status, refusal.code], [404, 'session_not_found']);
});

test('an end holds in every process that serves the database', async () => {
  const { api, token, victim } = await claimed();
  const other = await apiWithAccounts({}, {}, api.service.db, api.service.seal);
  other.clock.now = api.clock.now;
  assert.equal((await other.get(`/getReservations?sessionToken=${token}`)).status, 200);
  const { body } = await victim.get('/api/tokens');
  await victim.delete(`/api/tokens/${body.tokens[0].id}`);
  await isPowerless(other, token);
});

test('after a token has ended, a repeated Idempotency-Key no longer returns the answer with the token', async () => {
  const api = await apiWithAccounts();
  const key = { 'idempotency-key': 'a key of sixteen letters' };
  const { body: first } = await api.postYaml('/startUserDeployment', shopYaml, key);
  const victim = await api.person('victim@example.com');
  await victim.post(await api.claimPath(first.sessionToken), { endToken: true });
  const { body: second } = await api.postYaml('/startUserDeployment', shopYaml, key);
  assert.notEqual(second.environment, first.environment);
  assert.notEqual(second.sessionToken, first.sessionToken);
});

test('only the signed-in account of its session ends, replaces or widens a token', async () => {
  const { api, token, victim } = await claimed();
  const other = await api.person('other@example.com');
  const { body } = await victim.get('/api/tokens');
  const path = `/api/tokens/${body.tokens[0].id}`;
  assert.deepEqual((await other.get('/api/tokens')).body, { tokens: [] });
  for (const answer of [
    await other.delete(path),
    await other.post(`${path}/replace`),
    await other.post(path, { starts: 'plan' }),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [404, 'token_not_found']);
  }
  const bearer = { authorization: `Bearer ${token}` };
  for (const answer of [
    await api.get('/api/tokens', bearer),
    await api.postJson(`${path}/replace`, {}, bearer),
    await api.postJson(path, { starts: 'plan' }, bearer),
    await api.send('DELETE', path, undefined, bearer),
    await victim.post(`${path}/replace`, {}, { origin: 'http://evil.example' }),
  ]) {
    assert.ok([401, 403].includes(answer.status), String(answer.status));
  }
  assert.equal((await api.get('/getReservations', bearer)).status, 200);
});

async function isPowerless(api: ApiWithAccounts, sessionToken: string): Promise<void> {
  const shop = { applicationName: 'shop', sessionToken };
  const query = `?sessionToken=${sessionToken}&applicationName=shop`;
  const answers = [
    await start(api, sessionToken, 'another'),
    await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, shopYaml),
    await api.postYaml(`/previewUserDeployment?sessionToken=${sessionToken}`, shopYaml),
    await api.postJson('/extendDeployment', shop),
    await api.postJson('/claimDeployment', shop),
    await api.postJson('/addDeploymentReservation', shop),
    await api.postJson('/removeDeploymentReservation', shop),
    await api.postJson('/removeReservations', { sessionToken }),
    await api.get(`/getReservations?sessionToken=${sessionToken}`),
    await api.get(`/getDeploymentStatus${query}`),
    await api.get(`/getDeploymentEvents${query}`),
    await api.get(`/getDeploymentLogs${query}`),
    await api.get(`/getDeploymentOutline${query}`),
    await api.get(`/getDeploymentConfiguration${query}`),
    await api.get(`/api/limits?sessionToken=${sessionToken}`),
  ];
  for (const { status, body } of answers) assert.deepEqual([status, body.code], [404, 'session_not_found']);
}
