import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth({ BERTH_LIFETIME: '6s', BERTH_EXTENSION: '5s', BERTH_EXTENSIONS: '1' });
  await berth.serve();
});
after(async () => await berth.destroy());

test('a free deployment expires, an extension moves that, and nothing of it is left', async () => {
  const startedAt = Date.now();
  const short = await berth.start(webYaml('short', 'here'));
  const long = await berth.start(webYaml('long', 'here'));
  const extended = await berth.postJson('/extendDeployment', long);
  assert.match(extended.body, /0 extension\(s\) remaining\.$/);
  await Promise.all([berth.reach(short, 'running'), berth.reach(long, 'running')]);

  await until('the short one has expired', async () => (await berth.visit(short.url)).status === 410);
  assert.ok(Date.now() - startedAt >= 6_000);
  assert.equal((await berth.visit(long.url)).status, 200);
  assert.equal((await berth.get(`/getReservations?sessionToken=${short.sessionToken}`)).status, 404);

  await until('the long one has expired', async () => (await berth.visit(long.url)).status === 410);
  assert.ok(Date.now() - startedAt >= 11_000);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});

test('a deployment that expires while the service is down is gone when the next one starts', async () => {
  const short = await berth.start(webYaml('asleep', 'here'));
  await berth.reach(short, 'running');
  await berth.end('SIGKILL');
  const startedAt = Date.now();
  await until('its time limit is past', async () => Date.now() - startedAt > 6_000);
  await berth.serve();
  await until('the site is gone', async () => (await berth.visit(short.url)).status === 410);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});
