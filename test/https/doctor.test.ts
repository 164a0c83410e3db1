/** `berth admin doctor`, with a real service with HTTPS, a database and a mail server, which then end one by one. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Check } from '../../src/admin/doctor/check.ts';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { serve } from '../../src/main.ts';
import type { Running } from '../../src/running-service.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { startMailServer } from '../accounts/mail-server.ts';
import { afterDeath } from '../after-death.ts';
import { freePort } from '../free-port.ts';
import { until } from '../scenarios/berth.ts';
import { makeAuthority } from '../support/certificate.ts';

const program = join(import.meta.dirname, '../../src/cli/bin.mjs');

test('the doctor finds a sound service good, and says of each thing that ends what is wrong', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-doctor-'));
  const undertaker = afterDeath(['test/end-edge.ts', dataDir]);
  const [port, httpsPort, mails, authority] = [
    await freePort(),
    await freePort(),
    await startMailServer(),
    await makeAuthority(),
  ];
  const pair = await authority.issue(['DNS:localhost', 'DNS:*.apps.localhost']);
  const at = (name: string) => join(dataDir, name);
  await Promise.all([
    writeFile(at('a.pem'), pair.cert),
    writeFile(at('a.key'), pair.key),
    writeFile(at('root.pem'), authority.root),
  ]);
  const env = {
    BERTH_ENGINE: 'memory',
    BERTH_DATA_DIR: dataDir,
    BERTH_DISK_FREE: '1Mi',
    BERTH_PORT: String(port),
    BERTH_BASE_URL: `https://localhost:${httpsPort}`,
    BERTH_APPS_DOMAIN: 'apps.localhost',
    BERTH_TLS_CERTIFICATE: at('a.pem'),
    BERTH_TLS_KEY: at('a.key'),
    BERTH_SMTP_URL: mails.url.href,
    BERTH_MAIL_FROM: 'Berth <berth@example.com>',
  };
  const read = readSettings(env);
  assert.ok(read.ok, read.ok ? '' : read.mistakes.join('\n'));
  let running: Running | undefined;
  t.after(async () => {
    await running?.stop();
    await mails.close();
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true });
    undertaker.dismiss();
  });

  running = await serve(read.settings, at('berth.log'));

  async function ask(change: Record<string, string> = {}, ...words: string[]) {
    const all = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: at('root.pem'), ...env, ...change };
    const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
      execFile(process.execPath, [program, 'admin', 'doctor', '--json', ...words], { env: all }, (error, stdout) =>
        resolve({ code: error ? Number(error.code) : 0, stdout }),
      );
    });
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    assert.equal(code, checks.some(({ state }) => state === 'bad') ? 1 : 0);
    return { states, seen: (name: string) => checks.find((check) => check.name === name)!.observed };
  }

  /** A machine that is busy may be late with any answer: that is not what is tried here. */
  const found = (states: Record<string, Check['state']>, change?: Record<string, string>) =>
    until(`the doctor finds ${JSON.stringify(states)}`, async () => {
      const answer = await ask(change);
      return Object.entries(states).every(([name, state]) => answer.states[name] === state) ? answer : undefined;
    });

  const sound = await found({
    'port-http': 'good',
    'port-https': 'good',
    'certificate-api': 'good',
    service: 'good',
    disk: 'good',
    database: 'good',
    mail: 'good',
    domains: 'good',
    https: 'good',
    backup: 'bad',
  });
  assert.match(sound.seen('certificate-api'), /, 3 in its chain, 1 days left/);
  await found({ 'certificate-api': 'bad', 'port-https': 'good' }, { NODE_EXTRA_CA_CERTS: '' });
  assert.equal(mails.mails.length, 0, 'none was sent unasked');
  await ask({}, '--send-to', 'operator@example.com');
  assert.deepEqual(
    mails.mails.map(({ to }) => to),
    [['operator@example.com']],
  );
  await mails.close();
  assert.match((await ask()).seen('mail'), /does not take mail: /);
  await found({ disk: 'bad' }, { BERTH_DISK_FREE: '100Ti' });

  await running.stop();
  running = undefined;
  await found({ service: 'bad', database: 'good' });
  await stopEdge(dataDir);
  const gone = {
    'port-http': 'bad',
    'port-https': 'bad',
    'certificate-api': 'bad',
    service: 'bad',
    database: 'bad',
  } as const;
  await found(gone, { BERTH_DATA_DIR: join(dataDir, 'other') });
});
