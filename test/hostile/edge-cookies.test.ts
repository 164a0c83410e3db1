/** Cookies that one application sets for the whole domain: what its neighbours' visitors notice, in a real browser. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startChromium, type TestChromium } from '../browser/chromium.ts';
import { until } from '../scenarios/berth.ts';
import { type EdgeFixture, openEdge, site, startApi, stop } from '../support/edge.ts';

/** As with BERTH_ALLOW_UNSAFE=domain: the API is of the applications' domain. */
const api = 'berth.apps.test';
const attacker = 'attacker.apps.test';
const victim = 'victim.apps.test';

/** Longer than a browser needs for a page while all other tests run. */
const patienceMs = 120_000;

/** A browser takes the last Domain, a server may write it as it likes. */
const forDomain = [
  'a=1; Domain=apps.test',
  'b=1;domain=.apps.test; Path=/; HttpOnly',
  'c=1; HttpOnly; DOMAIN = apps.test ;Secure',
  'd=1;\tdomain\t=\tapps.test',
  'e="x; domain=apps.test"; Max-Age=5',
  'f=1; domain=; domain=apps.test; Domain=victim.test; domain=apps.test; domain=apps.test; domain=apps.test',
  'g=1; domain',
];
const forItself = [
  'domain=apps.test; Path=/',
  'h=domain=apps.test',
  'i=1; Path=/domain=apps.test; SameSite=Lax',
  'j=1',
];

let edge: EdgeFixture;
let servers: Server[];
let chromium: TestChromium;
before(async () => {
  edge = await openEdge({ apiHosts: [api] });
  // Heads of more than 16 KiB it answers with 431, as Node does.
  const application = createServer((_, response) => {
    response.setHeader('Set-Cookie', [...forDomain, ...forItself]);
    response.end('content');
  });
  application.on('upgrade', (_, socket) => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';
    const granted = 'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n';
    socket.end(`${head}${granted}Set-Cookie: k=1; Domain=apps.test\r\n\r\n`);
  });
  await new Promise<void>((resolve) => application.listen(0, '0.0.0.0', resolve));
  servers = [application, await startApi(edge.settings.dataDir)];
  const { port } = application.address() as AddressInfo;
  await edge.edge.publish([attacker, victim].map((host) => site(host, { '/': '127.0.1.1' }, port)));
  chromium = await startChromium(edge.settings.port, ['--host-resolver-rules=MAP *.test 127.0.0.1']);
});
after(async () => {
  await chromium?.close();
  await edge.end();
  await Promise.all(servers.map(stop));
});

const addressOf = (host: string) => `http://${host}:${edge.settings.port}/one/two`;

const tossedBy = async (page: Page) => (await page.context().cookies()).filter(({ name }) => name.startsWith('toss'));

/** A visitor of the attacker's page, which has set so many cookies of 4 KB. */
async function visitorWith(cookies: number, attributes: string): Promise<Page> {
  const context = await chromium.browser.newContext();
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  await page.goto(addressOf(attacker));
  await page.evaluate(
    ([count, rest]) => {
      for (let index = 0; index < count; index++)
        (globalThis as unknown as { document: { cookie: string } }).document.cookie =
          `toss${index}=${'x'.repeat(4000)}; ${rest}`;
    },
    [cookies, attributes] as const,
  );
  // A page's cookies are kept by another process, in its own time.
  const areKept = async () => (await tossedBy(page)).length === cookies;
  await until('the browser has kept the cookies', areKept);
  return page;
}

test('no answer of an application sets a cookie for more than its own host', async () => {
  const { headers } = await edge.ask({ host: attacker });
  const set = headers['set-cookie'] ?? [];
  assert.equal(set.length, forDomain.length + forItself.length);
  for (const line of set.slice(0, forDomain.length)) assert.doesNotMatch(line, /;\s*domain\s*=/i);
  assert.match(set[1]!, /^b=1; Path=\/; HttpOnly$/);
  assert.deepEqual(set.slice(forDomain.length), forItself);
  const upgrade = ['GET / HTTP/1.1', `Host: ${attacker}`, 'Connection: Upgrade', 'Upgrade: websocket'];
  const key = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', '', ''];
  const switched = await edge.send([...upgrade, ...key].join('\r\n'));
  assert.match(switched, /^HTTP\/1\.1 101 [\s\S]*set-cookie: k=1\r\n/i);
});

test('cookies that a page sets for the domain lock no visitor out: a click removes them, at a neighbour and at the API', async () => {
  const rows: [host: string, cookies: number, attributes: string][] = [
    [victim, 5, 'domain=apps.test; path=/'],
    [victim, 5, 'domain=apps.test; path=/one; max-age=1000'],
    [api, 3, 'domain=apps.test; path=/'],
    [api, 5, 'domain=.apps.test; path=/one/'],
  ];
  for (const [host, cookies, attributes] of rows) {
    const page = await visitorWith(cookies, attributes);
    const locked = await page.goto(addressOf(host));
    assert.equal(locked?.status(), 431, `${host}, ${attributes}`);
    // The page waits two seconds for the browser to have removed them, which on a slow machine may not be enough.
    let status: number | undefined = 431;
    for (let clicks = 0; status === 431 && clicks < 5; clicks++) {
      const [again] = await Promise.all([page.waitForNavigation(), page.getByRole('button').click()]);
      status = again?.status();
    }
    assert.equal(status, 200, `${host}, ${attributes}`);
    await page.context().close();
  }
});

test('the page removes nothing by itself, and is shown in no frame', async () => {
  const page = await visitorWith(3, 'domain=apps.test; path=/');
  const answer = await page.goto(addressOf(api));
  assert.equal(answer?.headers()['x-frame-options'], 'DENY');
  assert.equal((await tossedBy(page)).length, 3);
  await page.context().close();
});

test('programs get an Error object, and a site that takes the cookies its request', async () => {
  for (let bytes = 31_000; bytes < 33_000; bytes += 100) {
    const { status } = await edge.ask({ host: api, headers: { cookie: 'x'.repeat(bytes) } });
    assert.ok(status === 431 || status === 400, `${bytes}: ${status}`);
  }
  const cookie = `x=${'x'.repeat(9000)}`;
  const refused = await edge.ask({ host: api, headers: { cookie } });
  assert.deepEqual([refused.status, JSON.parse(refused.body).code], [431, 'headers_too_large']);
  assert.equal((await edge.ask({ host: victim, headers: { cookie, accept: 'text/html' } })).status, 200);
});
