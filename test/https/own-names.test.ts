/**
 * Without access to DNS records, each application has a certificate of its own: the authority verifies the
 * application's host.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { ask } from '../support/edge.ts';
import { shownSerial } from '../support/tls.ts';
import { type HttpsService, startHttps } from './https-service.ts';

const token = '0123456789abcdefghijklmnopqrstuv';

async function answersAt(service: HttpsService, host: string): Promise<void> {
  const client = await service.client();
  await until(`${host} answers by HTTPS`, async () => {
    const answer = await client.ask({ host: `${host}:${service.httpsPort}` }).catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
}

test('each serving application gets a certificate, and no other name has one ordered', async (t) => {
  const service = await startHttps(t);
  const [first, second] = [await service.deploy(), await service.deploy()];
  for (const host of ['berth.test', first, second]) await answersAt(service, host);

  for (const name of ['nobody.apps.test', 'stranger.test', `x.${first}`]) {
    const shown = await Promise.allSettled(Array.from({ length: 50 }, () => shownSerial(service.httpsPort, name)));
    assert.ok(
      shown.every(({ status }) => status === 'rejected'),
      `${name} is shown no certificate`,
    );
  }
  await assert.rejects(shownSerial(service.httpsPort));
  assert.equal(await service.metric('berth_certificates{state="missing"}'), 0);
  assert.deepEqual(service.pebble.asked(), ['berth.test', first, second].toSorted());
  assert.equal(service.pebble.issued(), 3);
  assert.doesNotMatch(await service.log(), /a certificate was not issued/, 'the order follows the answer');

  const http = (host: string, path: string) => ask(service.port, { host, path });
  for (const host of [first, second, 'berth.test'])
    for (const path of [
      `/.well-known/acme-challenge/${token}`,
      '/.well-known/acme-challenge/x',
      '/.well-known/other',
    ]) {
      const { status, headers, body } = await http(host, path);
      assert.deepEqual([status, headers.location, body], [308, `https://${host}:${service.httpsPort}${path}`, '']);
    }
  for (const path of [`/.well-known/acme-challenge/${token}`, '/'])
    assert.equal((await http('nobody.apps.test', path)).status, 404, 'HTTPS would fail there');
  const client = await service.client();
  const path = `/.well-known/acme-challenge/${token}`;
  const { status, body } = await client.ask({ host: `${first}:${service.httpsPort}`, path });
  assert.deepEqual([status, body.split('\n')[0]], [200, `GET ${path}`], "by HTTPS it is the application's own");
});

test('what the authority allows in a week goes to the newest applications, and the others wait', async (t) => {
  const service = await startHttps(t, {}, { weekly: 1 });
  await answersAt(service, 'berth.test');
  const first = await service.deploy();
  await answersAt(service, first);
  const { host, token } = await service.start();
  await until(
    'one waits',
    async () => (await service.metric('berth_certificates{state="missing"}')) === 1 || undefined,
  );
  const redirected = await ask(service.port, { host: first, path: '/a?b' });
  assert.deepEqual(
    [redirected.status, redirected.headers.location],
    [308, `https://${first}:${service.httpsPort}/a?b`],
  );
  const page = await ask(service.port, { host, headers: { accept: 'text/html' } });
  assert.equal(page.status, 503);
  assert.match(page.body, /Waiting for its certificate.*issues no more certificates/s);
  const { certificate } = (await service.status(token)).status;
  assert.equal(certificate?.because, 'limit');
  assert.ok(Date.parse(certificate!.until!) > Date.now() + 6 * 86_400_000);
  assert.deepEqual(service.pebble.asked(), ['berth.test', first].toSorted());
});

test('before the service has its first certificate, visitors are not redirected to an HTTPS that fails', async (t) => {
  const service = await startHttps(t, { BERTH_ACME: 'https://127.0.0.1:9/dir terms=accepted' });
  const { host, token } = await service.start();
  await until(
    'it waits',
    async () => (await service.status(token)).status.certificate?.because === 'failed' || undefined,
  );
  for (const each of ['berth.test', host]) {
    const { status, headers, body } = await ask(service.port, { host: each });
    assert.deepEqual([status, headers.location, JSON.parse(body).code], [503, undefined, 'certificate_missing'], each);
  }
  assert.match(await service.log(), /the authority at https:\/\/127\.0\.0\.1:9\/dir cannot be reached/);
});
