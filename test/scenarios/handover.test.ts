/** `npm run serve` of another release while one runs: it takes over without an effect on clients. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import { inTier } from '../tier.ts';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { type Crowd, crowdOf } from './crowd.ts';

for (const store of inTier<'sqlite' | 'postgresql'>(['sqlite'], ['postgresql']))
  test(`a service hands over to one that is started next to it, on ${store}, and no request fails`, async (t) => {
    const berth = await createBerth({}, { store });
    t.after(() => berth.destroy());
    let present = await berth.serve();
    const shop = await berth.start(webYaml('shop', 'one'));
    await berth.reach(shop, 'running');
    const crowd = startCrowd(berth, shop);
    // Also where an assertion fails before: they would ask for ever.
    t.after(() => crowd.end());
    await until('all clients have been answered', async () => crowd.counts.every((count) => count > 5));

    for (const name of ['blog', 'wiki']) {
      const serving = berth.serve();
      // Requests go to the service that runs right now.
      const started = await berth.start(webYaml(name, 'two'));
      const ended = once(present, 'exit');
      present = await serving;
      const [code] = await ended;
      assert.equal(code, 0, berth.log().slice(-3000));
      await berth.reach(started, 'running');
      const before = [...crowd.counts];
      await until('all clients are answered by the next one', async () =>
        crowd.counts.every((count, index) => count > before[index]! + 5),
      );
    }
    assert.deepEqual(await crowd.end(), []);
    assert.match((await berth.visit(shop.url)).text, /^one at/);
    await berth.end('SIGTERM');
    assert.deepEqual((await berth.inventory()).orphans, []);
  });

test('a service that is started with another BERTH_BASE_URL next to the running one gives applications their new address', async (t) => {
  const berth = await createBerth({}, { store: 'postgresql' });
  t.after(() => berth.destroy());
  const present = await berth.serve();
  const shop = await berth.start(webYaml('shop', 'one'));
  await berth.reach(shop, 'running');
  const ended = once(present, 'exit');
  await berth.serve({ BERTH_BASE_URL: 'http://localhost:4242' });
  assert.deepEqual(await ended, [0, null]);
  const { host } = new URL(shop.url);
  const address = `http://${host.replace(/:.*/, '')}:4242/`;
  await until('it is reported', async () => (await berth.visit(shop.url)).text === `one at ${address}`);
  await berth.reach(shop, 'running');
});

test('when the service that was to take over fails, the one that runs goes on', async (t) => {
  const berth = await createBerth({}, { store: 'sqlite' });
  t.after(() => berth.destroy());
  const present = await berth.serve();
  const shop = await berth.start(webYaml('shop', 'one'));
  await berth.reach(shop, 'running');
  const crowd = startCrowd(berth, shop);
  // Also where an assertion fails before: they would ask for ever.
  t.after(() => crowd.end());
  // It has the edge and the loop by then, and fails with its last step but one.
  const pidFile = join(berth.settings.dataDir, 'berth.pid');
  await rm(pidFile);
  await mkdir(pidFile);
  const failing = await berth.serve();
  if (failing.exitCode === null) await once(failing, 'exit');
  assert.equal(failing.exitCode, 1);
  await rmdir(pidFile);
  await until('the first one goes on', async () => berth.log().includes('this service goes on'));
  const blog = await berth.start(webYaml('blog', 'two'));
  await berth.reach(blog, 'running');
  assert.equal(present.exitCode, null);
  assert.deepEqual(await crowd.end(), []);
});

test('when the service that takes over is killed before it says that it serves, the one before is there again', async (t) => {
  const berth = await createBerth({}, { store: 'sqlite' });
  t.after(() => berth.destroy());
  const present = await berth.serve();
  const shop = await berth.start(webYaml('shop', 'one'));
  await berth.reach(shop, 'running');
  const dying = spawn(process.execPath, ['test/scenarios/dying-successor.ts', berth.settings.dataDir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(dying, 'exit');
  assert.equal(signal, 'SIGKILL');
  // Addresses without a deployment show a page.
  const isThere = async (host: string, path: string) => (await berth.visit(`http://${host}${path}`)).status;
  await until('it answers for API, pushes and pages', async () => {
    const all = [isThere('localhost', '/healthz'), isThere('localhost', '/v2/'), isThere('nobody.localhost', '/')];
    return (await Promise.all(all)).join() === '200,401,404';
  });
  await until('it goes on', async () => berth.log().includes('this service goes on'));
  assert.equal(present.exitCode, null);
  const blog = await berth.start(webYaml('blog', 'two'));
  await berth.reach(blog, 'running');
  // It can be taken over again, and the dead service has left nothing behind.
  const ended = once(present, 'exit');
  await berth.serve();
  assert.deepEqual(await ended, [0, null]);
  const { edge, run } = edgePaths(berth.settings.dataDir);
  assert.equal((await readdir(run)).length, 6, 'each of the three sockets of HAProxy has two names');
  const ofService = (await readdir(edge)).filter((name) => name.startsWith('service.sock'));
  assert.equal(ofService.length, 2);
});

/** Visitors of an application and clients of the API. */
function startCrowd({ settings: { port } }: Berth, { url, sessionToken, applicationName }: Started): Crowd {
  const statusPath = `/getDeploymentStatus?${new URLSearchParams({ applicationName, sessionToken })}`;
  return crowdOf([
    { port, host: new URL(url).host, path: '/' },
    { port, host: 'localhost', path: statusPath },
    { port, host: 'localhost', path: '/healthz' },
    { port, host: 'nobody.localhost', path: '/', statuses: [404] },
  ]);
}
