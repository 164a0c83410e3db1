import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../test/support/api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});

const hour = 3_600_000;

test('starting a deployment needs no account and answers a session token and a live URL', async () => {
  const { status, body } = await api.postYaml('/startUserDeployment', shopYaml);
  assert.equal(status, 200);
  assert.match(body.url, /^http:\/\/[a-z]+-[a-z]+-shop\.localhost:8080$/);
  assert.match(body.sessionToken, /^berth_[A-Za-z0-9_-]{32}$/);
  assert.equal(body.url, `http://${body.environment}-shop.localhost:8080`);
  const { message, url, sessionToken, environment, links, warnings, diagnostics, ...rest } = body;
  assert.deepEqual(rest, {
    applicationName: 'shop',
    status: { state: 'deploying', progress: 0, health: 'deploying', revision: 1 },
    extend: { available: true, expiresAt: '2026-01-01T14:00:00.000Z', remaining: 2 },
    claim: { claimed: false },
  });
  assert.equal(api.woken.length, 1);
});

test('a session token is stored hashed only', async () => {
  const token = await api.startShop();
  const rows = JSON.stringify(await api.service.db.selectFrom('sessions').selectAll().execute());
  assert.ok(!rows.includes(token));
});

test('no log line holds a session token or a claim token', async () => {
  const token = await api.startShop();
  await api.get(`/getReservations?sessionToken=${token}`);
  const { body } = await api.postJson('/claimDeployment', { applicationName: 'shop', sessionToken: token });
  await api.get(new URL(body.claimUrl).pathname);
  await api.get(`/nothing/${token}?sessionToken=${token}`);
  const log = api.lines.join('');
  assert.match(log, /getReservations/);
  assert.ok(!log.includes(token) && !log.includes(body.claimToken));
});

test('a second application joins the session of the token', async () => {
  const token = await api.startShop();
  api.clock.now += 1;
  const { body } = await api.postYaml(`/startUserDeployment?sessionToken=${token}`, shopYaml.replace('shop', 'blog'));
  assert.equal(body.sessionToken, token);
  const list = await api.get(`/getReservations?sessionToken=${token}`);
  assert.deepEqual(
    list.body.reservedDeployments.map(({ applicationName }: { applicationName: string }) => applicationName),
    ['shop', 'blog'],
  );
});

test('the same application twice in a session is refused', async () => {
  const token = await api.startShop();
  const { status, body } = await api.postYaml(`/startUserDeployment?sessionToken=${token}`, shopYaml);
  assert.deepEqual([status, body.code], [409, 'application_exists']);
});

test('an update keeps the URL and returns to deploying', async () => {
  const { body: started } = await api.postYaml('/startUserDeployment', shopYaml);
  const { status, body } = await api.postYaml(
    `/updateUserDeployment?sessionToken=${started.sessionToken}`,
    shopYaml.replace('nginx:1', 'nginx:2'),
  );
  assert.equal(status, 200);
  assert.equal(body.url, started.url);
  assert.deepEqual(body.status, { state: 'deploying', progress: 0, health: 'deploying', revision: 2 });
});

test('an update with a token of no deployment answers 404', async () => {
  const { status, body } = await api.postYaml('/updateUserDeployment?sessionToken=berth_nobody', shopYaml);
  assert.deepEqual([status, body.code], [404, 'session_not_found']);
});

test('an extension says the minutes left and the extensions that remain, as a JSON string', async () => {
  const token = await api.startShop();
  const extend = () => api.postJson('/extendDeployment', { applicationName: 'shop', sessionToken: token });
  const first = await extend();
  assert.equal(
    first.body,
    'Application shop has been extended. Environment will expire in 240 minutes. 1 extension(s) remaining.',
  );
  const second = await extend();
  assert.match(second.body, /in 360 minutes\. 0 extension\(s\) remaining\.$/);
  const third = await extend();
  assert.deepEqual([third.status, third.body.code], [409, 'extension_limit_reached']);
});

test('extend and claim of an unknown application answer 404', async () => {
  const token = await api.startShop();
  for (const path of ['/extendDeployment', '/claimDeployment']) {
    const { status, body } = await api.postJson(path, { applicationName: 'nothing', sessionToken: token });
    assert.deepEqual([status, body.code, body.error], [404, 'application_not_found', 'The application was not found.']);
  }
});

test('a claim answers a token and a link', async () => {
  const token = await api.startShop();
  const { body } = await api.postJson('/claimDeployment', { applicationName: 'shop', sessionToken: token });
  assert.equal(body.claimUrl, `http://localhost:8080/claim/${body.claimToken}`);
  assert.equal(body.message, `You're almost there! Visit ${body.claimUrl} to finalize your deployment.`);
});

test('list items have the fields of the interface', async () => {
  const token = await api.startShop();
  const { body } = await api.get(`/getReservations?sessionToken=${token}`);
  const [{ environment, url, ...item }] = body.reservedDeployments;
  assert.deepEqual(item, {
    applicationName: 'shop',
    status: { state: 'deploying', progress: 0, health: 'deploying', revision: 1 },
    createdAt: '2026-01-01T12:00:00.000Z',
    expiresAt: '2026-01-01T14:00:00.000Z',
  });
});

test('the token may come as a bearer instead of in the address', async () => {
  const token = await api.startShop();
  const { status } = await api.get('/getReservations', { authorization: `Bearer ${token}` });
  assert.equal(status, 200);
});

test('a token dies when all deployments of its session have expired or were removed', async () => {
  const token = await api.startShop();
  api.clock.now += 2 * hour;
  const expired = await api.get(`/getReservations?sessionToken=${token}`);
  assert.deepEqual([expired.status, expired.body.code], [404, 'session_not_found']);

  const another = await api.startShop();
  await api.postJson('/removeDeploymentReservation', { applicationName: 'shop', sessionToken: another });
  const removed = await api.get(`/getReservations?sessionToken=${another}`);
  assert.deepEqual([removed.status, removed.body.code], [404, 'session_not_found']);
});

test('two sessions cannot see or change each other', async () => {
  const mine = await api.startShop();
  const theirs = await api.startShop();
  await api.postJson('/removeDeploymentReservation', { applicationName: 'shop', sessionToken: theirs });
  const { body } = await api.get(`/getReservations?sessionToken=${mine}`);
  assert.equal(body.reservedDeployments.length, 1);
});

test('a reservation needs a plan that allows it', async () => {
  const token = await api.startShop();
  const { status, body } = await api.postJson('/addDeploymentReservation', {
    applicationName: 'shop',
    sessionToken: token,
  });
  assert.equal(status, 500);
  assert.equal(body.code, 'plan_does_not_allow_reservations');
  assert.match(body.error, /plan does not allow reservations and must be upgraded/);
});

test('removing a reservation removes the site', async () => {
  const token = await api.startShop();
  const { body } = await api.postJson('/removeDeploymentReservation', { applicationName: 'shop', sessionToken: token });
  assert.deepEqual(body, {
    message:
      'Application shop reservation has been removed. Application site will be removed within the next 10 minutes.',
  });
});

test('removing all reservations ends holds and leaves deployments to their time limits', async () => {
  const token = await api.startShop();
  const { db } = api.service;
  await db.updateTable('deployments').set({ heldAt: api.clock.now }).execute();
  api.clock.now += 3 * hour;
  assert.equal((await api.get(`/getReservations?sessionToken=${token}`)).status, 200);
  const { status, body } = await api.postJson('/removeReservations', { sessionToken: token });
  assert.equal(status, 200);
  assert.equal(
    body,
    'Application reservations have been removed. If deployments have reached their time limits, application sites will be removed within 10 minutes.',
  );
  assert.equal((await api.get(`/getReservations?sessionToken=${token}`)).status, 404);
});

test('validate lists every error with its line and column, and the schema is JSON Schema', async () => {
  const bad = 'application:\n  name: S\n  pods:\n    - name: web\n      image: nginx\n      path: /\n';
  const { status, body } = await api.postYaml('/validate', bad);
  assert.equal(status, 200);
  assert.equal(body.valid, false);
  assert.match(body.errors[0], /^2:9 application\.name: /);
  const good = await api.postYaml('/validate', shopYaml);
  const images = 'not checked';
  assert.deepEqual(good.body, { valid: true, errors: [], warnings: [], diagnostics: [], images });
  const schema = await api.get('/schema');
  assert.equal(schema.body.$schema, 'https://json-schema.org/draft/2020-12/schema');
  assert.ok(schema.body.properties.application.properties.pods);
});

test('documents are read in every form that clients send', async () => {
  const types = ['text/x-yaml', 'text/yaml', 'application/yaml', 'application/x-yaml', 'text/plain; charset=utf-8'];
  for (const type of types) {
    assert.equal((await api.postYaml('/validate', shopYaml, { 'content-type': type })).status, 200, type);
  }
  for (const body of [{ yaml: shopYaml }, { yamlContent: shopYaml }]) {
    assert.equal((await api.postJson('/validate', body)).body.valid, true);
  }
  const document = {
    application: { name: 'shop', pods: [{ name: 'web', image: 'nginx:1', path: '/', servicePorts: [80] }] },
  };
  assert.equal((await api.postJson('/validate', document)).body.valid, true);
});

test('the same Idempotency-Key and body start one deployment, another body is refused', async () => {
  const headers = { 'idempotency-key': 'a-key-of-some-length' };
  const session = await api.send('POST', '/createSession', '', {});
  const own = { ...headers, authorization: `Bearer ${session.body.sessionToken}` };
  const first = await api.postYaml('/startUserDeployment', shopYaml, own);
  const again = await api.postYaml('/startUserDeployment', shopYaml, own);
  assert.equal(first.status, 200);
  assert.deepEqual([again.body.url, again.body.sessionToken], [first.body.url, first.body.sessionToken]);
  const other = await api.postYaml('/startUserDeployment', shopYaml.replace('shop', 'blog'), own);
  assert.deepEqual([other.status, other.body.code], [409, 'idempotency_key_reused']);
});

test('a repeat with a random Idempotency-Key is the same deployment, also without a session', async () => {
  for (const key of [
    'b27f1e0c-6d3a-4f58-9c41-0e7a52d8f913',
    '01hgw2bbg0000hztdf4pmjkv9x'.toUpperCase(),
    '9f86d081884c7d659a2feaa0c55ad015',
  ]) {
    const headers = { 'idempotency-key': key, 'x-berth-client': '192.0.2.8' };
    const [first, again] = [
      await api.postYaml('/startUserDeployment', shopYaml, headers),
      await api.postYaml('/startUserDeployment', shopYaml, headers),
    ];
    assert.deepEqual([first.status, again.status], [200, 200], key);
    assert.deepEqual([again.body.url, again.body.sessionToken], [first.body.url, first.body.sessionToken]);
  }
  for (const typed of [
    '11111111-1111-4111-8111-111111111111',
    '00000000000000000000000000000000',
    'deploy-2026-11-28-shop',
  ]) {
    const headers = { 'idempotency-key': typed, 'x-berth-client': '192.0.2.8' };
    await api.postYaml('/startUserDeployment', shopYaml, headers);
    const again = await api.postYaml('/startUserDeployment', shopYaml, headers);
    assert.deepEqual([again.status, again.body.sessionToken], [409, undefined], typed);
  }
});

test('an Idempotency-Key that others could have sent starts one deployment, and no answer repeats its session token', async () => {
  const headers = { 'idempotency-key': 'another-key-of-some-length', 'x-berth-client': '192.0.2.7' };
  const first = await api.postYaml('/startUserDeployment', shopYaml, headers);
  assert.equal(first.status, 200);
  // Another user behind the same address, with the same key and document.
  const stranger = await api.postYaml('/startUserDeployment', shopYaml, headers);
  assert.deepEqual([stranger.status, stranger.body.code], [409, 'idempotency_key_reused']);
  assert.ok(!JSON.stringify(stranger.body).includes(first.body.sessionToken));
  const elsewhere = await api.postYaml('/startUserDeployment', shopYaml, { ...headers, 'x-berth-client': '192.0.2.9' });
  assert.equal(elsewhere.status, 200);
  assert.notEqual(elsewhere.body.sessionToken, first.body.sessionToken);
});
