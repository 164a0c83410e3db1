import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { clientHeader } from './client-address.ts';

const minute = 60_000;
const from = (address: string) => ({ [clientHeader]: address });

const ofDashboard = ['/', '/deployments', '/d/jolly-tapir/shop', '/assets/x.js'];
const undescribed = [
  ...ofDashboard,
  '/claim/claim_x',
  '/openapi.json',
  '/metrics',
  '/healthz',
  '/readyz',
  '/nothing',
  '/%zz',
];

test('every endpoint has a limit for each client, and says it in each answer', async () => {
  const once = { count: 1, windowMs: minute };
  const api = await testApi({ rate: once, startRate: once, signInRate: once });
  const { body } = await api.get('/openapi.json?examples=true');
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([url, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase() as 'GET' | 'POST', url })),
  );
  assert.ok(described.length >= 13);
  const hidden = undescribed.map((url) => ({ method: 'GET' as const, url }));
  for (const [index, { method, url }] of [...described, ...hidden].entries()) {
    const requested = url.replace('{sessionToken}', `berth_${index}`);
    const ask = () => api.app.inject({ method, url: requested, headers: from(`192.0.2.${index}`) });
    // A token in the path has its own limit, like a token anywhere else.
    const isOfToken = requested !== url;
    const policy = (figures: string) => new RegExp(`^"[a-z-]+";${figures}${isOfToken ? `, "token";${figures}` : ''}$`);
    const limit = (url.endsWith('z') && url !== '/%zz') || ofDashboard.includes(url) ? 10 : 1;
    for (let time = 0; time < limit; time++) {
      const { statusCode, headers } = await ask();
      assert.notEqual(statusCode, 429, url);
      assert.match(String(headers['ratelimit-policy']), policy(`q=${limit};w=60`), url);
      assert.match(String(headers.ratelimit), policy(`r=${limit - 1 - time};t=60`), url);
    }
    const refused = await ask();
    assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rate_limited'], url);
    assert.equal(refused.headers['retry-after'], '60');
    assert.match(refused.json().hint, /^Try again in 60 seconds\.$/);
  }
});

test('starts are counted apart from everything else, by address', async () => {
  const api = await testApi({ startRate: { count: 2, windowMs: minute } });
  const start = (address: string) => api.postYaml('/startUserDeployment', shopYaml, from(address));
  await start('192.0.2.1');
  await start('192.0.2.1');
  const third = await start('192.0.2.1');
  assert.deepEqual([third.status, third.body.code], [429, 'rate_limited']);
  assert.match(third.body.error, /^Too many starts/);
  assert.equal((await start('192.0.2.2')).status, 200);
  assert.equal((await api.get('/schema', from('192.0.2.1'))).status, 200);
  api.clock.now += minute;
  assert.equal((await start('192.0.2.1')).status, 200);
});

test('an IPv6 network of 64 bits is one client', async () => {
  const api = await testApi({ rate: { count: 1, windowMs: minute } });
  assert.equal((await api.get('/schema', from('2001:db8::1'))).status, 200);
  assert.equal((await api.get('/schema', from('2001:db8::2'))).status, 429);
  assert.equal((await api.get('/schema', from('2001:db8:0:1::1'))).status, 200);
});

test('the containers of all applications are one client together', async () => {
  const api = await testApi({ rate: { count: 1, windowMs: minute }, networkPool: '10.200.0.0/13' });
  assert.equal((await api.get('/schema', from('10.200.0.2'))).status, 200);
  assert.equal((await api.get('/schema', from('10.201.77.130'))).status, 429);
  assert.equal((await api.get('/schema', from('10.208.0.2'))).status, 200);
});

test('requests with one token are counted together from any address and with the token in any place', async () => {
  const api = await testApi({ rate: { count: 3, windowMs: minute } });
  const token = await api.startShop();
  api.clock.now += minute;
  const named = `applicationName=shop&sessionToken=${token}`;
  const first = await api.get(`/getReservations?sessionToken=${token}`, from('192.0.2.1'));
  assert.equal(first.headers['ratelimit-policy'], '"address";q=3;w=60, "token";q=3;w=60');
  assert.equal(first.headers.ratelimit, '"address";r=2;t=60, "token";r=2;t=60');
  const body = { applicationName: 'shop', sessionToken: token };
  await api.postJson('/extendDeployment', body, from('192.0.2.2'));
  await api.get('/getReservations', { authorization: `Bearer ${token}`, ...from('192.0.2.3') });
  const fourth = await api.get(`/getDeploymentStatus?${named}`, from('192.0.2.4'));
  assert.deepEqual([fourth.status, fourth.body.code], [429, 'rate_limited']);
  assert.match(fourth.body.error, /^Too many requests with this token/);
  const other = await api.postJson('/extendDeployment', { ...body, sessionToken: 'berth_x' }, from('192.0.2.4'));
  assert.equal(other.status, 404);
});

test('documents are also counted by their bytes, by address, in any form', async () => {
  const bytes = Buffer.byteLength(shopYaml);
  const api = await testApi({ documentRate: { count: 2 * bytes, windowMs: minute } });
  const first = await api.postYaml('/validate', shopYaml, from('192.0.2.1'));
  assert.match(
    String(first.headers['ratelimit-policy']),
    new RegExp(`"document";q=${2 * bytes};qu="content-bytes";w=60$`),
  );
  assert.match(String(first.headers.ratelimit), new RegExp(`"document";r=${bytes};t=60$`));
  const second = await api.postJson('/startUserDeployment', { yaml: shopYaml }, from('192.0.2.1'));
  assert.deepEqual([second.status, second.body.code], [429, 'rate_limited']);
  assert.equal(second.body.error, 'Too many bytes of configurations from your address.');
  assert.equal((await api.postYaml('/validate', shopYaml, from('192.0.2.2'))).status, 200);
  assert.equal((await api.get('/schema', from('192.0.2.1'))).status, 200);
  api.clock.now += minute;
  assert.equal((await api.postYaml('/validate', shopYaml, from('192.0.2.1'))).status, 200);
});
