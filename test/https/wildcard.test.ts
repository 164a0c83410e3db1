/** One certificate for all applications, by records in DNS that the operator's command sets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { startHttps } from './https-service.ts';

test('from nothing to HTTPS with a wildcard, and a restart orders nothing anew', async (t) => {
  const service = await startHttps(t, { BERTH_DNS_HOOK: 'pebble' });
  const served = () => service.metric('berth_certificates{state="served"}');
  await until('both certificates are served', async () => (await served()) === 2 || undefined);
  const host = await service.deploy();
  const client = await service.client();
  const statusOf = (name: string, path: string) =>
    client.ask({ host: `${name}:${service.httpsPort}`, path }).then(
      ({ status }) => status,
      () => undefined,
    );
  // What is stored is served a moment later.
  await until('both answer by HTTPS', async () => {
    return ((await statusOf(host, '/')) === 200 && (await statusOf('berth.test', '/healthz')) === 200) || undefined;
  });
  await service.restart();
  assert.equal(await served(), 2);
  assert.equal((await client.ask({ host })).status, 200);
  assert.equal(service.pebble.issued(), 2);
  assert.deepEqual(service.pebble.asked(), ['apps.test', 'berth.test']);
  const log = await service.log();
  assert.doesNotMatch(log, /PRIVATE KEY/);
});
