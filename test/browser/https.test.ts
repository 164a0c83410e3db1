/** HTTPS in a real browser, which trusts the root of the test and takes nothing else. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { serve } from '../../src/main.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { freePort } from '../free-port.ts';
import { until } from '../scenarios/berth.ts';
import { makeAuthority } from '../support/certificate.ts';
import { startEcho, unmask } from '../support/echo.ts';
import { openEdge, site, stop } from '../support/edge.ts';
import { startChromium } from './chromium.ts';

const args = ['--host-resolver-rules=MAP *.test 127.0.0.1'];

test('a page speaks HTTP/2 and its WebSocket passes', async (t) => {
  const authority = await makeAuthority();
  const { cert, key } = await authority.issue(['DNS:*.apps.test']);
  const page = `<!doctype html><script>
    const socket = new WebSocket('wss://' + location.host + '/ws');
    socket.onopen = () => socket.send('hello');
    socket.onmessage = ({ data }) => { document.title = data; };
    socket.onerror = () => { document.title = 'no WebSocket'; };
  </script>`;
  const port = await freePort();
  const [echo, edge] = await Promise.all([
    startEcho(page, unmask),
    openEdge({ tls: { port, publicPort: port } }, [{ name: 'apps', pem: cert + key }]),
  ]);
  t.after(async () => {
    await edge.end();
    await stop(echo.server);
  });
  await edge.edge.publish([site('chat.apps.test', { '/': '127.0.1.1' }, echo.port)]);
  const { browser, close } = await startChromium(port, args, authority.root);
  t.after(close);
  const tab = await browser.newPage();
  await tab.goto(`https://chat.apps.test:${port}/`);
  await tab.waitForFunction(() => document.title !== '');
  assert.equal(await tab.title(), 'hello');
  const protocol = await tab.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation') as unknown as { nextHopProtocol: string }[];
    return entry!.nextHopProtocol;
  });
  assert.equal(protocol, 'h2');
});

test('dashboard and site are served by HTTPS without a warning, and renewed files are shown without a restart', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-https-'));
  const authority = await makeAuthority();
  const files = { certificate: join(dataDir, 'own.pem'), key: join(dataDir, 'own.key') };
  const renew = async () => {
    const { cert, key } = await authority.issue(['DNS:berth.test', 'DNS:*.apps.test']);
    await writeFile(files.certificate, cert);
    await writeFile(files.key, key, { mode: 0o600 });
  };
  await renew();
  const [port, httpsPort] = [await freePort(), await freePort()];
  const read = readSettings({
    BERTH_ENGINE: 'memory',
    BERTH_DATA_DIR: dataDir,
    BERTH_DISK_FREE: '1Mi',
    BERTH_PORT: String(port),
    BERTH_BASE_URL: `https://berth.test:${httpsPort}`,
    BERTH_APPS_DOMAIN: 'apps.test',
    BERTH_TLS_CERTIFICATE: files.certificate,
    BERTH_TLS_KEY: files.key,
  });
  assert.ok(read.ok);
  const running = await serve(read.settings, join(dataDir, 'berth.log'));
  t.after(async () => {
    await running.stop();
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true });
  });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const end = Date.parse(new X509Certificate(await readFile(files.certificate)).validTo) / 1000;
  assert.equal(/^berth_certificate_end_seconds\{file="1"\} (\d+)$/m.exec(metrics)?.[1], String(end));
  const { browser, close } = await startChromium(httpsPort, args, authority.root);
  t.after(close);
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${read.settings.baseUrl.origin}/`);
  await page.waitForSelector('.problems .valid');
  await page.locator('button.deploy:visible').click();
  await page.waitForSelector('.deployment-header .badge.running');
  assert.deepEqual(complaints, []);
  const address = (await page.locator('.deployment-header .address a').getAttribute('href'))!;
  assert.match(address, new RegExp(`^https://[a-z-]+\\.apps\\.test:${httpsPort}/?$`));
  const shown = async () => {
    const tab = await browser.newPage();
    const answer = (await tab.goto(address))!;
    const { validFrom } = (await answer.securityDetails())!;
    const text = await tab.locator('body').innerText();
    await tab.close();
    return { status: answer.status(), isEcho: /^GET \//.test(text), validFrom };
  };
  const before = await shown();
  assert.deepEqual([before.status, before.isEcho], [200, true]);

  await page.goto(`${read.settings.baseUrl.origin}/sign-in`);
  const sent = await page.evaluate(async () => {
    const body = JSON.stringify({ name: 'a', email: 'a@example.com', password: 'correct horse battery' });
    const answer = await fetch('/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    return answer.status;
  });
  assert.equal(sent, 200);
  const [cookie, ...others] = await context.cookies();
  assert.deepEqual(
    [cookie!.name, cookie!.secure, cookie!.httpOnly, others.length],
    ['__Host-berth.session_token', true, true, 0],
  );

  await renew();
  await until('the new certificate is shown', async () => (await shown()).validFrom !== before.validFrom || undefined);
});
