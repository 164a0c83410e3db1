/** One certificate for all applications, by records in DNS that the operator's command sets. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { shownSerial } from '../support/tls.ts';
import { startHttps } from './https-service.ts';

test('from nothing to HTTPS with a wildcard, and a restart orders nothing again', async (t) => {
  const service = await startHttps(t, { BERTH_ACME_DNS: 'pebble' });
  const served = () => service.metric('berth_certificates{state="served"}');
  await until('both certificates are served', async () => (await served()) === 2 || undefined);
  const host = await service.deploy();
  const client = await service.client();
  const statusOf = (name: string, path: string) =>
    client.ask({ host: `${name}:${service.httpsPort}`, path }).then(
      ({ status }) => status,
      () => undefined,
    );
  // A stored certificate is served a moment later.
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

test('a hook that hangs for one name and is slow for another holds up neither that one nor the service, and says nothing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-hook-'));
  t.after(() => rm(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const service = await startHttps(
    t,
    {},
    {
      hookOf: async (pebbles) => {
        const hangs = `*.apps.test) echo $$ > ${at('hanging')}; sleep 1000 ;;`;
        const lines = ['#!/bin/sh', 'echo TOKEN=hunter2; echo TOKEN=hunter2 >&2', `case "$2" in ${hangs} esac`];
        await writeFile(at('hook'), [...lines, 'sleep 2', `exec ${pebbles} "$@"`, ''].join('\n'));
        await chmod(at('hook'), 0o700);
        return at('hook');
      },
    },
  );
  const shown = await until('the other name is certified', () =>
    shownSerial(service.httpsPort, 'berth.test').catch(() => undefined),
  );
  const hanging = Number(await until('it hangs', () => readFile(at('hanging'), 'utf8').catch(() => undefined)));
  const { host, token } = await service.start();
  await until('an application waits for its certificate', async () => {
    return (await service.status(token)).status.certificate?.because === 'ordered' || undefined;
  });
  await assert.rejects(shownSerial(service.httpsPort, host));
  await service.restart();
  await until('what hung has ended with the service that has started it', async () => isGone(hanging));
  assert.equal(await shownSerial(service.httpsPort, 'berth.test'), shown);
  assert.doesNotMatch(await service.log(), /hunter2/);
});

async function isGone(pid: number): Promise<true | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // A process that has ended and was not reaped does nothing.
  return stat === undefined || stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z') || undefined;
}
