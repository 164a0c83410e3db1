/** Renewal: the clock is set forward, and visitors come all the while. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { shownSerial } from '../support/tls.ts';
import { startHttps } from './https-service.ts';

const day = 24 * 3_600_000;

test('sixty days later every certificate is renewed while visitors come, and no handshake fails', async (t) => {
  let ahead = 0;
  const service = await startHttps(t, { BERTH_LIFETIME: '365d' }, { now: () => Date.now() + ahead });
  const hosts = ['berth.test', await service.deploy(), await service.deploy()];
  const served = () => service.metric('berth_certificates{state="served"}');
  await until('all are served', async () => (await served()) === hosts.length || undefined);
  const client = await service.client();
  const serials = () => Promise.all(hosts.map((host) => shownSerial(service.httpsPort, host)));
  const ask = (host: string) => client.ask({ host: `${host}:${service.httpsPort}`, path: '/healthz' });
  await until('all are shown', async () => {
    const answers = await Promise.all(hosts.map((host) => ask(host).catch(() => undefined)));
    return answers.every((answer) => answer?.status === 200) || undefined;
  });
  const before = await serials();
  const insists = async () => (await ask('berth.test')).headers['strict-transport-security'];
  assert.equal(await insists(), undefined, 'nobody knows yet whether a renewal works');

  let isOver = false;
  let asked = 0;
  const visitors = Array.from({ length: 6 }, async (_, index) => {
    // Each request has a handshake of its own.
    for (; !isOver; asked += 1) assert.equal((await ask(hosts[index % hosts.length]!)).status, 200);
  });
  const firstAsked = asked;
  ahead = 60 * day;
  const renewed = until('all are renewed', async () => {
    const now = await serials();
    return now.every((serial, index) => serial !== before[index]) || undefined;
  });
  await Promise.race([renewed, Promise.all(visitors)]);
  isOver = true;
  await Promise.all(visitors);
  assert.ok(asked > firstAsked);
  t.diagnostic(`${asked} requests, each with a handshake, and none failed`);
  assert.equal(service.pebble.issued(), 2 * hosts.length);
  assert.equal(await service.metric('berth_certificates{state="failing"}'), 0);
  assert.equal(await insists(), 'max-age=31536000');
});

test('an authority that is away takes nothing from anybody, and is told', async (t) => {
  let ahead = 0;
  const service = await startHttps(t, { BERTH_DNS_HOOK: 'pebble' }, { now: () => Date.now() + ahead });
  await until(
    'both are served',
    async () => (await service.metric('berth_certificates{state="served"}')) === 2 || undefined,
  );
  const before = await shownSerial(service.httpsPort, 'berth.test');
  await service.pebble.end();
  ahead = 61 * day;
  await until(
    'both fail',
    async () => (await service.metric('berth_certificates{state="failing"}')) === 2 || undefined,
  );
  assert.equal(await shownSerial(service.httpsPort, 'berth.test'), before);
  assert.match(await service.log(), /a certificate was not issued/);
  const ready = () => fetch(`http://127.0.0.1:${service.port}/readyz`);
  assert.equal((await ready()).status, 200);
  ahead = 84 * day;
  const answer = await ready();
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [503, 'certificate_late']);
});
