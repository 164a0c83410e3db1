/** Several services on one PostgreSQL: one of them orders, every edge answers the authority, and all serve what it issues. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { serve } from '../../src/main.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { afterDeath } from '../after-death.ts';
import { freePort } from '../free-port.ts';
import { until } from '../scenarios/berth.ts';
import { startPostgres } from '../support/postgres.ts';
import { shownSerial } from '../support/tls.ts';
import { startPebble } from './pebble.ts';

const day = 24 * 3_600_000;

/**
 * Forwards connections to each port in turn, like a name with several addresses. Returns the number of connections of
 * each.
 */
async function startBalancer(
  t: TestContext,
  port: number,
  targets: () => readonly number[],
): Promise<Map<number, number>> {
  const requested = new Map<number, number>();
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((socket) => {
    const ports = targets();
    const target = ports[turn++ % ports.length]!;
    requested.set(target, (requested.get(target) ?? 0) + 1);
    const onward = connect(target, '127.0.0.1');
    for (const each of [socket, onward]) open.add(each.on('error', () => each.destroy()));
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return requested;
}

test('one of two services orders, both edges answer the authority and serve, and the other takes over', async (t) => {
  const opened = new AsyncDisposableStack();
  t.after(() => opened.disposeAsync());
  const postgres = opened.use(await startPostgres());
  await (await postgres.openStore()).destroy();
  let ahead = 0;
  const [front, publicPort] = [await freePort(), await freePort()];
  const pebble = await startPebble(front, { lifeSeconds: 400 * 86_400 });
  opened.defer(() => pebble.close());

  async function startService() {
    const dataDir = await mkdtemp(join(tmpdir(), 'berth-acme-'));
    const undertaker = afterDeath(['test/end-edge.ts', dataDir]);
    const [port, httpsPort] = [await freePort(), await freePort()];
    const read = readSettings({
      BERTH_ENGINE: 'memory',
      BERTH_DATA_DIR: dataDir,
      BERTH_DISK_FREE: '1Mi',
      BERTH_PORT: String(port),
      BERTH_BASE_URL: `https://berth.test:${publicPort}`,
      BERTH_HTTPS_PORT: String(httpsPort),
      BERTH_APPS_DOMAIN: 'apps.test',
      BERTH_DATABASE_URL: postgres.url('store'),
      BERTH_SECRET_KEY: 'the same key for both of these services',
      BERTH_ACME: `${pebble.directory} terms=accepted root=${pebble.rootFile}`,
    });
    assert.ok(read.ok, read.ok ? '' : read.mistakes.join('\n'));
    const running = await serve(read.settings, join(dataDir, 'berth.log'), { now: () => Date.now() + ahead });
    let isRunning = true;
    const stop = async () => {
      if (isRunning) await running.stop();
      isRunning = false;
    };
    opened.defer(async () => {
      await stop();
      await stopEdge(dataDir);
      await rm(dataDir, { recursive: true });
      undertaker.dismiss();
    });
    return { port, stop, shown: () => shownSerial(httpsPort, 'berth.test').catch(() => undefined) };
  }

  // The authority can reach neither before both run, so neither has its certificate just for being the first.
  let ports: number[] = [];
  const services = [await startService(), await startService()];
  ports = services.map(({ port }) => port);
  const requested = await startBalancer(t, front, () => ports);

  // A first try may have found no balancer; the next one is due after a minute.
  ahead += 5 * 60_000;
  const bothShow = (but?: string) =>
    until('both edges show the same certificate', async () => {
      const [first, second] = await Promise.all(services.map(({ shown }) => shown()));
      return first !== undefined && first === second && first !== but ? first : undefined;
    });
  const first = await bothShow();
  assert.equal(pebble.issued(), 1);
  assert.deepEqual([...requested.keys()].toSorted(), ports.toSorted(), 'the authority has queried both');

  // Two thirds of its life; what is issued then ends, by the clock of the authority, at the same time.
  ahead += 270 * day;
  const second = await bothShow(first);
  assert.equal(pebble.issued(), 2);

  await services[0]!.stop();
  ports = [services[1]!.port];
  ahead += 90 * day;
  await until('the other renews', async () => {
    const shown = await services[1]!.shown();
    return (shown !== undefined && shown !== second) || undefined;
  });
  assert.equal(pebble.issued(), 3);
});
