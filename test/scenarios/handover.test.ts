/** `npm run serve` of another release beside the one that runs: it takes over, and nobody notices. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { Agent, get, type RequestOptions } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { wait } from '../../src/lib/wait.ts';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';

for (const store of ['sqlite', 'postgresql'] as const)
  test(`a service hands over to one that is started beside it, on ${store}, and no request fails`, async (t) => {
    const berth = await createBerth({}, { store });
    t.after(() => berth.destroy());
    let present = await berth.serve();
    const shop = await berth.start(webYaml('shop', 'one'));
    await berth.reach(shop, 'running');
    const crowd = startCrowd(berth, shop);
    await until('everybody has been answered', async () => crowd.counts.every((count) => count > 5));

    for (const name of ['blog', 'wiki']) {
      const serving = berth.serve();
      // Asked of whichever is there right now.
      const started = await berth.start(webYaml(name, 'two'));
      const ended = once(present, 'exit');
      present = await serving;
      const [code] = await ended;
      assert.equal(code, 0, berth.log().slice(-3000));
      await berth.reach(started, 'running');
      const before = [...crowd.counts];
      await until('everybody is answered by the next one', async () =>
        crowd.counts.every((count, index) => count > before[index]! + 5),
      );
    }
    assert.deepEqual(await crowd.end(), []);
    assert.match((await berth.visit(shop.url)).text, /^one at/);
    await berth.end('SIGTERM');
    assert.deepEqual((await berth.inventory()).orphans, []);
  });

test('when the service that was to take over fails, the one that runs goes on', async (t) => {
  const berth = await createBerth({}, { store: 'sqlite' });
  t.after(() => berth.destroy());
  const present = await berth.serve();
  const shop = await berth.start(webYaml('shop', 'one'));
  await berth.reach(shop, 'running');
  const crowd = startCrowd(berth, shop);
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

/** Visitors of an application and clients of the API, on connections that they keep and on new ones. */
function startCrowd({ settings: { port } }: Berth, { url, sessionToken, applicationName }: Started) {
  const statusPath = `/getDeploymentStatus?${new URLSearchParams({ applicationName, sessionToken })}`;
  const asked = [
    { host: new URL(url).host, path: '/' },
    { host: 'localhost', path: statusPath },
    { host: 'localhost', path: '/healthz' },
    { host: 'nobody.localhost', path: '/', status: 404 },
  ];
  const failed: string[] = [];
  const counts: number[] = [];
  let isGoing = true;
  const everybody = [true, false].flatMap((keepAlive) =>
    asked.map(async ({ host, path, status = 200 }) => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      const own = counts.push(0) - 1;
      while (isGoing) {
        const answered = await answerOf({ agent, host: '127.0.0.1', port, path, headers: { host } });
        if (answered !== String(status)) failed.push(`${host} ${path.split('?')[0]}: ${answered}`);
        counts[own]!++;
        await wait(5);
      }
      agent.destroy();
    }),
  );
  return {
    counts,
    /** What was not answered as it should be. */
    async end(): Promise<string[]> {
      isGoing = false;
      await Promise.all(everybody);
      return failed;
    },
  };
}

function answerOf(options: RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    get(options, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
      response.once('error', ({ message }) => resolve(message));
    }).once('error', ({ message }) => resolve(message));
  });
}
