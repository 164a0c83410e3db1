/** Tests HTTPS at the edge: responses to clients, and certificates that are added and removed while HAProxy runs. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '../../../test/free-port.ts';
import { type Authority, makeAuthority, type Pair } from '../../../test/support/certificate.ts';
import { startEcho } from '../../../test/support/echo.ts';
import {
  type EdgeFixture,
  eventually,
  openEdge,
  type Seen,
  site,
  startUpstream,
  stop,
} from '../../../test/support/edge.ts';
import { agreed, shownSerial, tlsClient } from '../../../test/support/tls.ts';
import { edgePaths } from '../edge-paths.ts';
import { startEdge } from './haproxy.ts';
import { killProxies } from './haproxy-process.ts';
import { runCommand as askHaproxy, describeRunning } from './runtime-socket.ts';
import type { NamedCertificate } from './served-certificates.ts';

let authority: Authority;
let fixture: EdgeFixture;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let echo: Awaited<ReturnType<typeof startEcho>>;
let httpsPort: number;
let api: Pair;
let apps: Pair;

const named = (name: string, { cert, key }: Pair): NamedCertificate => ({ name, pem: cert + key });
const both = () => [named('api', api), named('apps', apps)];
const client = () => tlsClient(httpsPort, authority.root);
const paths = () => edgePaths(fixture.settings.dataDir);
const runningPid = async () => (await describeRunning(paths().adminSocket))?.pid;
const serialOf = ({ cert }: Pair) => new X509Certificate(cert).serialNumber;

before(async () => {
  authority = await makeAuthority();
  [api, apps] = await Promise.all([authority.issue(['DNS:berth.test']), authority.issue(['DNS:*.apps.test'])]);
  upstream = await startUpstream();
  echo = await startEcho();
  httpsPort = await freePort();
  fixture = await openEdge(
    { apiHosts: ['berth.test', 'localhost'], tls: { port: httpsPort, publicPort: httpsPort } },
    both(),
  );
  await fixture.edge.publish([
    site('shop.apps.test', { '/': '127.0.1.1' }, upstream.port),
    site('echo.apps.test', { '/': '127.0.1.2' }, echo.port),
  ]);
});
after(async () => {
  await fixture.end();
  await stop(upstream.server);
  await stop(echo.server);
});

test('an application sees that its visitor came by HTTPS, and who wrote otherwise is not believed', async () => {
  const { status, body } = await client().ask({ host: 'shop.apps.test', headers: { 'X-Forwarded-Proto': 'http' } });
  assert.equal(status, 200);
  const { headers } = JSON.parse(body) as Seen;
  assert.deepEqual(
    [headers['x-forwarded-proto'], headers['x-forwarded-for'], headers['x-forwarded-host']],
    ['https', '127.0.0.1', 'shop.apps.test'],
  );
});

test('without HTTPS requests are redirected to it, with method, path and query, for any site', async () => {
  for (const host of ['shop.apps.test', 'berth.test', 'nowhere.apps.test', 'SHOP.apps.test.:80']) {
    const { status, headers } = await fixture.ask({
      host,
      path: '/a%20b/../c?d=e//f&g=%2F',
      method: 'POST',
      body: 'x',
    });
    const name = host.toLowerCase().replace(/\.?:80$/, '');
    assert.deepEqual([status, headers.location], [308, `https://${name}:${httpsPort}/a%20b/../c?d=e//f&g=%2F`]);
  }
  assert.equal((await fixture.ask({ host: 'evil.test/@shop.apps.test' })).status, 400);
  assert.equal((await fixture.ask({ host: 'shop.apps.test', headers: { 'X-Forwarded-Proto': 'https' } })).status, 308);
});

test('a program of this machine reaches the API at its own address without HTTPS, and no application', async () => {
  const server = await fixture.startApi();
  assert.equal(JSON.parse((await fixture.ask({ host: 'localhost' })).body).headers['x-forwarded-proto'], 'http');
  assert.equal((await fixture.ask({ host: 'berth.test' })).status, 308);
  await stop(server);
});

test('HTTP/2 is spoken with who knows it', async () => {
  const session = client().http2('shop.apps.test');
  const request = session.request({ ':path': '/two?a=b' }).setEncoding('utf8');
  let body = '';
  for await (const part of request) body += part;
  await new Promise<void>((resolve) => session.close(resolve));
  const { url, headers } = JSON.parse(body) as Seen;
  assert.deepEqual([url, headers.host, headers['x-forwarded-proto']], ['/two?a=b', 'shop.apps.test', 'https']);
  const plain = await client().connect('shop.apps.test', ['http/1.1']);
  assert.equal(plain.alpnProtocol, 'http/1.1');
  plain.destroy();
});

test('a WebSocket passes', async () => {
  const socket = await client().connect('echo.apps.test');
  socket.write(
    'GET /ws HTTP/1.1\r\nHost: echo.apps.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  let got = '';
  for await (const chunk of socket.setEncoding('latin1')) {
    got += chunk;
    if (got.endsWith('\r\n\r\n')) socket.write('hello');
    if (got.endsWith('hello')) break;
  }
  assert.match(got, /^HTTP\/1.1 101 [\s\S]*s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=[\s\S]*hello$/);
});

test('TLS 1.2 and 1.3 with forward secrecy and authenticated ciphers are spoken, and nothing older', async () => {
  const [tls13, tls12] = [await agreed(httpsPort, '-tls1_3'), await agreed(httpsPort, '-tls1_2')];
  assert.match(tls13 ?? '', /^TLSv1.3, TLS_/);
  assert.match(tls12 ?? '', /^TLSv1.2, ECDHE-ECDSA-/);
  for (const version of ['-tls1_1', '-tls1']) assert.equal(await agreed(httpsPort, version), undefined, version);
  for (const cipher of ['AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'aNULL', 'eNULL'])
    assert.equal(await agreed(httpsPort, '-tls1_2', '-cipher', `${cipher}:@SECLEVEL=0`), undefined, cipher);
});

test('each name is shown its own certificate, and who names none the first one', async () => {
  const [ofApi, ofApps] = [serialOf(api), serialOf(apps)];
  assert.equal(await shownSerial(httpsPort, 'berth.test'), ofApi);
  assert.equal(await shownSerial(httpsPort, 'whatever.apps.test'), ofApps);
  assert.equal(await shownSerial(httpsPort, 'stranger.test'), ofApi);
  assert.equal(await shownSerial(httpsPort), ofApi);
});

test('no private key lies in a file once HAProxy has started', async () => {
  const files = globSync('**', { cwd: fixture.settings.dataDir, withFileTypes: true }).filter((each) => each.isFile());
  assert.ok(files.length > 10);
  for (const { parentPath, name } of files)
    assert.doesNotMatch(await readFile(join(parentPath, name), 'latin1'), /PRIVATE KEY/, name);
});

test('certificates are replaced under load without a reload, and no request fails', async () => {
  const pid = await runningPid();
  let isReplacing = true;
  let requested = 0;
  const clients = Array.from({ length: 6 }, async (_, index) => {
    // Each request uses a new connection.
    const host = index % 2 ? 'shop.apps.test' : 'echo.apps.test';
    for (; isReplacing; requested += 1) assert.equal((await client().ask({ host })).status, 200);
  });
  let last = apps;
  for (let round = 0; round < 10; round += 1) {
    last = await authority.issue(['DNS:*.apps.test']);
    await fixture.edge.certify([named('api', api), named('apps', last)]);
    assert.equal(await shownSerial(httpsPort, 'shop.apps.test'), serialOf(last));
    const before = requested;
    await eventually(async () => requested > before + 12);
  }
  isReplacing = false;
  await Promise.all(clients);
  apps = last;
  assert.equal(await runningPid(), pid);
  assert.ok(requested > 120, `${requested} requests`);
});

test('a further certificate comes and goes, and what is refused leaves what was', async () => {
  const more = await authority.issue(['DNS:own.test']);
  await fixture.edge.certify([...both(), named('own', more)]);
  assert.equal(await shownSerial(httpsPort, 'own.test'), serialOf(more));
  await fixture.edge.certify(both());
  assert.equal(await shownSerial(httpsPort, 'own.test'), serialOf(api));
  const broken = { name: 'apps', pem: api.cert + apps.key };
  await assert.rejects(fixture.edge.certify([named('api', api), broken]), (error: Error) => {
    assert.match(error.message, /^HAProxy refused "(set|commit) ssl cert certificates\/apps.pem"/);
    assert.doesNotMatch(error.message, /PRIVATE|[A-Za-z0-9+/]{40}/);
    return true;
  });
  assert.equal(await shownSerial(httpsPort, 'a.apps.test'), serialOf(apps));
  // The failed transaction was aborted. An open one would block all later ones.
  assert.doesNotMatch(await askHaproxy(paths().adminSocket, 'show ssl cert'), /^\*/m);
  apps = await authority.issue(['DNS:*.apps.test']);
  await fixture.edge.certify(both());
  assert.equal(await shownSerial(httpsPort, 'a.apps.test'), serialOf(apps));
});

test('a second start finds HAProxy and gives it the certificates of now', async () => {
  const pid = await runningPid();
  await fixture.edge.close();
  apps = await authority.issue(['DNS:*.apps.test']);
  const sites = [site('shop.apps.test', { '/': '127.0.1.1' }, upstream.port)];
  fixture.edge = await startEdge(fixture.settings, { info() {}, warn() {} }, sites, { certificates: both() });
  assert.equal(await runningPid(), pid);
  assert.equal(await shownSerial(httpsPort, 'a.apps.test'), serialOf(apps));
});

test('HAProxy is restarted with the certificates that were added since', async () => {
  apps = await authority.issue(['DNS:*.apps.test']);
  await fixture.edge.certify(both());
  const pid = await runningPid();
  await killProxies(paths());
  await eventually(async () => ![pid, undefined].includes(await runningPid()));
  assert.equal(await shownSerial(httpsPort, 'a.apps.test'), serialOf(apps));
  await eventually(async () => (await client().ask({ host: 'shop.apps.test' })).status === 200);
  // HAProxy has read them: their files go.
  await eventually(async () => globSync('certificates', { cwd: paths().edge }).length === 0);
});

test("connections that never speak TLS count as their client's, and are closed above the limit", async () => {
  const { connectionsPerClient } = fixture.settings.limits;
  const silent = Array.from({ length: connectionsPerClient * 2 + 20 }, () => connect(httpsPort, '127.0.0.1'));
  for (const socket of silent) socket.on('error', () => {});
  await eventually(async () => silent.filter((socket) => socket.closed).length >= 20);
  assert.ok(silent.some((socket) => !socket.closed));
  for (const socket of silent) socket.destroy();
});
