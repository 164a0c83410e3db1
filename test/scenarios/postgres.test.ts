/** The whole service on PostgreSQL. All scenarios run on it by `TEST_STORE=postgresql npm test -- test/scenarios`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth({}, { store: 'postgresql' });
  await berth.serve();
});
after(async () => await berth.destroy());

test('a configuration becomes a live URL, is updated, extended, listed and removed, and nothing is left', async () => {
  const shop = await berth.start(webYaml('shop', 'one'));
  await berth.reach(shop, 'running');
  assert.match((await berth.visit(shop.url)).text, /^one at/);
  await berth.update(shop, webYaml('shop', 'two'));
  await until('the second revision answers', async () => (await berth.visit(shop.url)).text.startsWith('two'));
  const { sessionToken, applicationName } = shop;
  const extended = await berth.postJson('/extendDeployment', { sessionToken, applicationName });
  assert.match(extended.text, /1 extension\(s\) remaining/);
  const listed = await berth.get(`/getReservations?sessionToken=${sessionToken}`);
  assert.equal(listed.body.reservedDeployments.length, 1);
  await berth.remove(shop);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
  assert.deepEqual(
    (await readdir(berth.settings.dataDir)).filter((name) => name.startsWith('berth.db')),
    [],
  );
});

test('a deployment continues after the service was killed, and a running one is served during that time', async () => {
  const shop = await berth.start(webYaml('shop', 'one'));
  await berth.reach(shop, 'running');
  const blog = await berth.start(webYaml('blog', 'two'));
  await berth.end('SIGKILL');
  assert.match((await berth.visit(shop.url)).text, /^one at/);
  await berth.serve();
  await berth.reach(blog, 'running');
  await Promise.all([shop, blog].map((started) => berth.remove(started)));
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});

test('while PostgreSQL is down running deployments answer, and requests get an error; then everything continues', async () => {
  const postgres = berth.postgres!;
  const shop = await berth.start(webYaml('shop', 'one'));
  await berth.reach(shop, 'running');
  await postgres.stop('crash');
  assert.match((await berth.visit(shop.url)).text, /^one at/);
  const { status, headers, body } = await berth.postYaml('/startUserDeployment', webYaml('blog', 'two'));
  assert.deepEqual([status, headers['retry-after'], body.code], [503, '5', 'store_unreachable']);
  const ready = await berth.get('/readyz');
  assert.deepEqual([ready.status, ready.body.code], [503, 'store_unreachable']);
  await postgres.start();
  const blog = await berth.start(webYaml('blog', 'two'));
  await berth.reach(blog, 'running');
  await Promise.all([shop, blog].map((started) => berth.remove(started)));
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});

test('an account signs up, signs in and has a key, and the operator sees it by the same URL', async () => {
  const headers = { origin: berth.settings.baseUrl.origin, 'content-type': 'application/json' };
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  const post = (path: string, body: object, more: object = {}) =>
    berth.visit(new URL(path, berth.settings.baseUrl).href, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  assert.equal((await post('/api/auth/sign-up/email', person)).status, 200);
  const signedIn = await post('/api/auth/sign-in/email', person);
  assert.equal(signedIn.status, 200, signedIn.text);
  const cookie = [signedIn.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ');
  const made = await post('/api/keys', { name: 'deploys' }, { cookie });
  assert.equal(made.status, 200, made.text);
  const env = berth.environment;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['src/cli/berth.ts', 'admin', 'accounts', '--json'], { env });
  assert.deepEqual(
    JSON.parse(stdout).accounts.map(({ email, name }: { email: string; name: string }) => `${email} ${name}`),
    ['ada@example.com Ada'],
  );
});
