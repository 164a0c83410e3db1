/** HAProxy's life: started, found, reloaded, killed, stopped. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import {
  type EdgeFixture,
  eventually,
  openEdge,
  type Seen,
  site,
  startUpstream,
  stop,
} from '../../../test/support/edge.ts';
import { edgePaths } from '../edge-paths.ts';
import type { EdgeLog } from '../edge-settings.ts';
import { versionKey } from '../route-maps.ts';
import { startEdge, stopEdge } from './haproxy.ts';
import { endpointsMap, routesMap, sitesMap } from './haproxy-configuration.ts';
import { findProxies } from './haproxy-process.ts';
import { commandAll, describeRunning, readMap } from './runtime-socket.ts';

const quiet: EdgeLog = { info: () => {}, warn: () => {} };
let fixture: EdgeFixture;
let upstream: Awaited<ReturnType<typeof startUpstream>>;

describe('the edge', () => {
  before(async () => {
    upstream = await startUpstream();
    fixture = await openEdge();
    await fixture.edge.publish([shop('127.0.1.1')]);
  });
  after(async () => {
    await fixture.end();
    await stop(upstream.server);
  });

  const shop = (address: string) => site('shop.test', { '/': address, '/api': '127.0.1.9' }, upstream.port);
  const paths = () => edgePaths(fixture.settings.dataDir);
  const runningPid = async () => (await describeRunning(paths().adminSocket))?.pid;

  const entriesOf = (map: string) => readMap(paths().adminSocket, map);

  async function servedBy(path = '/'): Promise<string> {
    const { status, body } = await fixture.ask({ host: 'shop.test', path });
    return status === 200 ? (JSON.parse(body) as Seen).address : `${status}`;
  }

  test('only HAProxy can connect to the sockets of the service, and no other user to the admin socket', async () => {
    const pages = await fixture.startPages();
    assert.equal((await stat(paths().adminSocket)).mode & 0o777, 0o600);
    assert.equal((await stat(paths().edge)).mode & 0o077, 0);
    assert.equal((await stat(paths().run)).mode & 0o007, 0);
    assert.equal((await stat(paths().pagesSocket)).mode & 0o007, 0);
    await pages.close();
  });

  test("HAProxy keeps neither root nor the service's environment", { skip: process.getuid?.() !== 0 }, async () => {
    const pid = await runningPid();
    assert.doesNotMatch(await readFile(`/proc/${pid}/status`, 'utf8'), /^Uid:\s+0/m);
    const variables = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').filter(Boolean);
    assert.deepEqual(variables.map((variable) => variable.split('=')[0]).sort(), ['LC_ALL', 'PATH']);
  });

  test('the service comes and goes, and the applications stay', async () => {
    const [api, pages] = await Promise.all([fixture.startApi(), fixture.startPages()]);
    assert.equal((await fixture.ask({ host: 'localhost' })).status, 200);
    assert.equal((await fixture.ask({ host: 'nowhere.test' })).status, 404);
    await Promise.all([stop(api), pages.close()]);

    const html = { accept: 'text/html' };
    const [forApi, dashboard, plain, page, application] = await Promise.all([
      fixture.ask({ host: 'localhost' }),
      fixture.ask({ host: 'localhost', headers: html }),
      fixture.ask({ host: 'nowhere.test' }),
      fixture.ask({ host: 'nowhere.test', headers: html }),
      servedBy(),
    ]);
    assert.equal(application, '127.0.1.1');
    for (const answer of [forApi, dashboard, plain, page]) {
      assert.equal(answer.status, 503);
      assert.equal(answer.headers['retry-after'], '5');
    }
    assert.equal(JSON.parse(forApi.body).code, 'service_unavailable');
    assert.equal(JSON.parse(plain.body).code, 'service_unavailable');
    for (const { body } of [dashboard, page]) assert.match(body, /<h1>Back in a moment<\/h1>/);
  });

  test('each request to the service has a connection of its own, so that one that a service ends has none under way', async () => {
    const api = await fixture.startApi();
    let connections = 0;
    api.on('connection', () => connections++);
    const ask = (more = '') => `GET / HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const answers = await fixture.send(`${ask()}${ask('Connection: close\r\n')}`);
    assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 2);
    assert.equal(connections, 2);
    await stop(api);
  });

  test('publishing while requests run drops none and never leads astray', async () => {
    const others = Array.from({ length: 500 }, (_, index) =>
      site(`o${index}.test`, { '/': '127.0.2.1', '/api': '127.0.2.2' }, upstream.port),
    );
    let isPublishing = true;
    const answers = new Set<string>();
    let requested = 0;
    const clients = Array.from({ length: 6 }, async (_, index) => {
      while (isPublishing) {
        const path = index % 2 ? '/api/x' : '/x';
        answers.add(`${path} ${await servedBy(path)}`);
        requested += 1;
      }
    });
    // The machine decides how often the clients run. The test continues until they have enough answers.
    const isEnough = () => requested > 200 && answers.size >= 3;
    const deadline = performance.now() + 60_000;
    for (let round = 0; round < 40 || (!isEnough() && performance.now() < deadline); round += 1)
      await fixture.edge.publish(round % 2 ? [shop('127.0.1.1'), ...others] : [...others, shop('127.0.1.2')]);
    isPublishing = false;
    await Promise.all(clients);
    assert.ok(requested > 200, `${requested} requests`);
    assert.deepEqual([...answers].sort(), ['/api/x 127.0.1.9', '/x 127.0.1.1', '/x 127.0.1.2']);
  });

  test('a published table is live when publish resolves, and a burst ends with the last one', async () => {
    for (const address of ['127.0.1.3', '127.0.1.4', '127.0.1.5']) {
      await fixture.edge.publish([shop(address)]);
      assert.equal(await servedBy(), address);
    }
    await Promise.all(Array.from({ length: 50 }, (_, index) => fixture.edge.publish([shop(`127.0.1.${index + 10}`)])));
    assert.equal(await servedBy(), '127.0.1.59');
    await fixture.edge.publish([]);
    assert.equal(await servedBy(), '503', 'no route: the page server, which is not running');
    await fixture.edge.publish([shop('127.0.1.1')]);
  });

  test('a second start finds HAProxy as it is, and its table', async () => {
    const pid = await runningPid();
    const again = await startEdge(fixture.settings, quiet, [shop('127.0.1.1')]);
    assert.equal(await runningPid(), pid);
    assert.equal(await servedBy(), '127.0.1.1');
    await again.close();
  });

  test('a HAProxy that has answered while the service stood still is not taken for a silent one', async () => {
    const looking = describeRunning(paths().adminSocket);
    // Longer than any client waits for a response of HAProxy.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    assert.equal((await looking)?.pid, await runningPid());
  });

  test('a killed HAProxy is back by itself, with its table', async () => {
    const pid = (await runningPid())!;
    process.kill(pid, 'SIGKILL');
    await eventually(async () => (await runningPid()) !== undefined && (await runningPid()) !== pid);
    assert.equal(await servedBy(), '127.0.1.1');
  });

  test('publishing while HAProxy is dead brings it back with the new table', async () => {
    process.kill((await runningPid())!, 'SIGKILL');
    await fixture.edge.publish([shop('127.0.1.7')]);
    assert.equal(await servedBy(), '127.0.1.7');
  });

  test('only changes are sent, and a request that has read an earlier route still finds it', async () => {
    const others = Array.from({ length: 300 }, (_, index) =>
      site(`o${index}.test`, { '/': '127.0.2.1' }, upstream.port),
    );
    await fixture.edge.publish([shop('127.0.1.11'), ...others]);
    const [before, { length }] = [await entriesOf(routesMap), await entriesOf(sitesMap)];
    await fixture.edge.change([shop('127.0.1.12')]);
    assert.equal(await servedBy(), '127.0.1.12');
    const after = await entriesOf(routesMap);
    assert.deepEqual(after.slice(0, before.length), before, 'a map that is replaced has another order');
    assert.equal(after.length, before.length + 2);
    await fixture.edge.change([{ host: 'shop.test', endpoints: [] }]);
    assert.equal(await servedBy(), '503', 'no route: the page server, which is not running');
    assert.equal((await entriesOf(sitesMap)).length, length - 1);
    await fixture.edge.mend();
    assert.equal((await entriesOf(routesMap)).length, others.length + 2, 'what the last change has left');
    await fixture.edge.mend();
    assert.equal((await entriesOf(routesMap)).length, others.length);
    assert.doesNotMatch((await entriesOf(endpointsMap)).join(), /127\.0\.1\.1[12]\b/);
  });

  for (const [what, command] of [
    ['a host that it lost', `del map ${sitesMap} shop.test`],
    ['a host that it has twice', `add map ${sitesMap} shop.test elsewhere`],
    ['a host that leads elsewhere', `set map ${sitesMap} shop.test elsewhere`],
    ['an unknown host', `add map ${sitesMap} missing.test elsewhere`],
    ['routes that it lost', `clear map ${routesMap}`],
    ['endpoints that it lost', `clear map ${endpointsMap}`],
  ] as const) {
    test(`${what} is found by comparing, and put right`, async () => {
      await fixture.edge.publish([shop('127.0.1.11')]);
      await commandAll(paths().adminSocket, [command]);
      fixture.logged.length = 0;
      await fixture.edge.mend();
      assert.deepEqual(fixture.logged, ['HAProxy had wrong routes, which are now corrected']);
      assert.equal(await servedBy(), '127.0.1.11');
      assert.equal((await entriesOf(sitesMap)).length, 2);
      await fixture.edge.mend();
      assert.equal(fixture.logged.length, 1);
    });
  }

  test('a change on top of a version that HAProxy does not have is a whole table', async () => {
    await fixture.edge.publish([shop('127.0.1.11')]);
    await commandAll(paths().adminSocket, [
      `set map ${sitesMap} ${versionKey} another`,
      `set map ${sitesMap} shop.test elsewhere`,
    ]);
    await fixture.edge.change([site('new.test', { '/': '127.0.1.12' }, upstream.port)]);
    assert.equal(await servedBy(), '127.0.1.11');
  });

  test('HAProxy comes back with the last change, even if it dies at any instant', async () => {
    for (let round = 0; round < 5; round++) {
      const pid = (await runningPid())!;
      const address = `127.0.1.${20 + round}`;
      const changing = fixture.edge.change([shop(address)]);
      // As many before a part of the change as after it.
      for (let turns = 0; turns < round; turns++) await new Promise(setImmediate);
      process.kill(pid, 'SIGKILL');
      await changing;
      await eventually(async () => (await runningPid()) !== undefined && (await runningPid()) !== pid);
      assert.equal(await servedBy(), address);
    }
  });

  test('a HAProxy that hangs is replaced', { timeout: 120_000 }, async () => {
    const pid = (await runningPid())!;
    process.kill(pid, 'SIGSTOP');
    await fixture.edge.publish([shop('127.0.1.8')]);
    assert.equal(await servedBy(), '127.0.1.8');
    assert.notEqual(await runningPid(), pid);
  });

  test('a new configuration is loaded while requests go on', async () => {
    const pid = await runningPid();
    let isReloading = true;
    let requested = 0;
    const answers = new Set<string>();
    const clients = Array.from({ length: 4 }, async () => {
      for (; isReloading; requested += 1) answers.add(await servedBy());
    });
    await fixture.edge.close();
    const changed = await startEdge({ ...fixture.settings, apiHosts: ['localhost', 'berth.test'] }, quiet, [
      shop('127.0.1.8'),
    ]);
    fixture.edge = changed;
    assert.notEqual(await runningPid(), pid);
    const before = requested;
    await eventually(async () => requested > before + 50);
    isReloading = false;
    await Promise.all(clients);
    assert.deepEqual([...answers], ['127.0.1.8']);
    const api = await fixture.startApi();
    assert.equal(JSON.parse((await fixture.ask({ host: 'berth.test' })).body).api, true);
    await stop(api);
    await changed.publish([shop('127.0.1.6')]);
    assert.equal(await servedBy(), '127.0.1.6');
    // The old process ends with its last connection, and a client may keep an idle one for some seconds.
    await eventually(async () => (await findProxies(paths())).length === 1);
  });

  test('closing leaves HAProxy running; stopping ends it and nothing else', async () => {
    await fixture.edge.close();
    assert.equal(await servedBy(), '127.0.1.6');
    // Another user's process with the id that the file contains.
    await writeFile(paths().pidFile, `${process.pid}\n`);
    assert.equal(await stopEdge(fixture.settings.dataDir), true);
    assert.deepEqual(await findProxies(paths()), []);
    await assert.rejects(servedBy());
    assert.equal(await stopEdge(fixture.settings.dataDir), false);
  });
});
