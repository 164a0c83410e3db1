import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

const hour = 3_600_000;
let berth: Berth;
before(async () => {
  const limits = { BERTH_LIFETIME: '1h', BERTH_EXTENSIONS: '1x1h' };
  // Its clock is the test's: however slow the machine is, nothing expires before it is meant to.
  berth = await createBerth(limits, { isHooked: true });
  await berth.serve();
});
after(async () => await berth.destroy());

test('a free deployment expires, an extension moves that, and all its resources are removed', async () => {
  const short = await berth.start(webYaml('short', 'here'));
  const long = await berth.start(webYaml('long', 'here'));
  const extended = await berth.postJson('/extendDeployment', long);
  assert.match(extended.body, /0 extension\(s\) remaining\.$/);
  await Promise.all([berth.reach(short, 'running'), berth.reach(long, 'running')]);
  await berth.setClock(0.5 * hour);
  assert.equal((await berth.visit(short.url)).status, 200);

  await berth.setClock(1.5 * hour);
  await until('the short one has expired', async () => (await berth.visit(short.url)).status === 410);
  assert.equal((await berth.visit(long.url)).status, 200);
  assert.equal((await berth.get(`/getReservations?sessionToken=${short.sessionToken}`)).status, 404);

  await berth.setClock(2.5 * hour);
  await until('the long one has expired', async () => (await berth.visit(long.url)).status === 410);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});

test('a deployment expires at its time, without a change of the clock or a request', async () => {
  const brief = await createBerth({ BERTH_LIFETIME: '3s' });
  try {
    await brief.serve();
    const startedAt = Date.now();
    const fleeting = await brief.start(webYaml('fleeting', 'here'));
    await until('the site is gone', async () => (await brief.visit(fleeting.url)).status === 410);
    assert.ok(Date.now() - startedAt >= 3_000);
    await until('nothing is left', async () => (await brief.inventory()).owned.length === 0);
  } finally {
    await brief.destroy();
  }
});

test('a deployment that expires while the service is down is gone when the next one starts', async () => {
  const short = await berth.start(webYaml('asleep', 'here'));
  await berth.reach(short, 'running');
  await berth.end('SIGKILL');
  await berth.setClock(4 * hour);
  await berth.serve();
  await until('the site is gone', async () => (await berth.visit(short.url)).status === 410);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});
