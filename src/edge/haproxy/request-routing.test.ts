/** Answers of the real HAProxy for real tables. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type EdgeFixture, openEdge, type Seen, send, site, startUpstream, stop } from '../../../test/support/edge.ts';
import { expectedAddresses } from '../../../test/support/expected-addresses.ts';
import type { Site } from '../../deployment/site.ts';

let fixture: EdgeFixture;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let ends: (() => Promise<void>)[] = [];

before(async () => {
  upstream = await startUpstream();
  fixture = await openEdge();
  const [api, pages] = await Promise.all([fixture.startApi(), fixture.startPages()]);
  ends = [fixture.end, () => stop(api), () => pages.close(), () => stop(upstream.server)];
});
after(async () => {
  for (const end of ends) await end();
});

const shop = () =>
  site('shop.test', { '/': '127.0.1.1', '/api': '127.0.1.2', '/api/v2': ['127.0.1.3', '127.0.1.4'] }, upstream.port);
const other = () => site('other.test', { '/': '127.0.2.1', '/api': '127.0.2.2' }, upstream.port);
const partial = () => site('partial.test', { '/only/here': '127.0.3.1' }, upstream.port);

async function publish(...sites: Site[]): Promise<void> {
  await fixture.edge.publish(sites);
}

/** The endpoint that answered this exact request line: its address, `api`, or the status of a page. */
async function reached(target: string, host: string, more = ''): Promise<string> {
  const answer = await fixture.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
  return whoIs(answer);
}

function whoIs(answer: string): string {
  if (answer.includes('"api":true')) return 'api';
  return /"address":"([\d.]+)"/.exec(answer)?.[1] ?? /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? `no answer: ${answer}`;
}

function seen(answer: string): Seen {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Seen;
}

test('the longest prefix wins, on the boundaries of segments', async () => {
  await publish(shop(), other(), partial());
  const expected = {
    '/': '127.0.1.1',
    '/apiary': '127.0.1.1',
    '/API': '127.0.1.1',
    '/api': '127.0.1.2',
    '/api/': '127.0.1.2',
    '/api?x=/api/v2': '127.0.1.2',
    '/api/v1': '127.0.1.2',
    '/api/v22': '127.0.1.2',
    '/api/v3/api/v2': '127.0.1.2',
  };
  for (const [path, address] of Object.entries(expected)) assert.equal(await reached(path, 'shop.test'), address, path);
  assert.match(await reached('/api/v2/x', 'shop.test'), /^127\.0\.1\.[34]$/);
  assert.equal(await reached('/only/here/x', 'partial.test'), '127.0.3.1');
  assert.equal(await reached('/only', 'partial.test'), '404');
});

test('visitors of a host that sends them on keep their path, their query and the port', async () => {
  await publish(shop(), { ...site('www.shop.test', { '/': '127.0.1.1' }, upstream.port), redirectTo: 'shop.test' });
  const answer = await fixture.send(
    'POST /a/b%20c/?q=/x&y HTTP/1.1\r\nHost: WWW.shop.test.:8080\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1\.1 308 [\s\S]*\r\nlocation: http:\/\/shop\.test:8080\/a\/b%20c\/\?q=\/x&y\r\n/i);
  assert.equal(await reached('/', 'shop.test'), '127.0.1.1');
  await publish(shop(), other(), partial());
  assert.equal(await reached('/', 'www.shop.test'), '404');
});

test('every replica gets requests', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => reached('/api/v2', 'shop.test')));
  assert.deepEqual(new Set(answers), new Set(['127.0.1.3', '127.0.1.4']));
});

test('the prefix and the query arrive as they were sent', async () => {
  for (const path of [
    '/api/v1/x',
    '/api/v1/x?',
    '/api?a=%2d%zz//../b&c=%2f',
    '/api/a//b?x=//',
    '/api/%61',
    '/api/x?u=http://a/../b',
  ]) {
    const { url } = JSON.parse((await fixture.ask({ host: 'shop.test', path })).body) as Seen;
    assert.equal(url, path === '/api/%61' ? '/api/a' : path);
  }
  const { url } = JSON.parse(
    (await fixture.ask({ host: 'shop.test', path: '/x/../api/%2e/y?q=%2e//..' })).body,
  ) as Seen;
  assert.equal(url, '/api/y?q=%2e//..');
});

test('the host counts without case, port and trailing dot', async () => {
  for (const host of ['shop.test', 'SHOP.Test', 'shop.test:80', 'shop.test.', 'Shop.test.:8080'])
    assert.equal(await reached('/api', host), '127.0.1.2', host);
  assert.equal(await reached('/api', 'LOCALHOST:8080'), 'api');
  for (const host of ['op.test', 'shop.test.evil', 'xshop.test', 'shop.tes', 'shop', '[::1]'])
    assert.equal(await reached('/', host), '404', host);
});

test('a request that could mean two hosts is refused', async () => {
  for (const host of [
    '',
    'shop.test, other.test',
    'shop.test other.test',
    'shop.test/',
    'a@shop.test',
    '..',
    'shop.test:80:80',
    'shop.test#',
  ])
    assert.equal(await reached('/', host), '400', host);
  assert.equal(await reached('/', 'shop.test', 'Host: other.test\r\n'), '400');
  assert.equal(await reached('http://other.test/', 'shop.test'), '400');
  assert.match(await fixture.send('GET / HTTP/1.1\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 400/);
  assert.match(await fixture.send('GET / HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 400/);
  assert.match(
    await fixture.send('CONNECT other.test:80 HTTP/1.1\r\nHost: other.test:80\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 405/,
  );
});

test("a refusal is JSON, or HAProxy's own words for what is not HTTP at all", async () => {
  for (const [target, host] of [
    ['/', 'a b'],
    ['/%zz', 'shop.test'],
  ]) {
    const answer = await fixture.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 400/);
    assert.deepEqual(Object.keys(JSON.parse(answer.slice(answer.indexOf('{'))) as object), ['error', 'code', 'hint']);
  }
  const lengths = 'Content-Length: 5\r\nContent-Length: 6';
  for (const bytes of ['\0', 'GET /# HTTP/1.1\r\nHost: shop.test', `POST / HTTP/1.1\r\nHost: shop.test\r\n${lengths}`])
    assert.match(await fixture.send(`${bytes}\r\n\r\n`), /^HTTP\/1\.1 400/);
});

test('an absolute target is the same request, and arrives as a path', async () => {
  const answer = await fixture.send(
    'GET http://shop.test/api/x?y HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n',
  );
  assert.deepEqual([seen(answer).address, seen(answer).url], ['127.0.1.2', '/api/x?y']);
});

test('tricks with the path stay within the site, and lead where the arriving path says', async () => {
  const expected = {
    '//api/x': ['127.0.1.2', '/api/x'],
    '///other.test/api': ['127.0.1.1', '/other.test/api'],
    '/x/../api': ['127.0.1.2', '/api'],
    '/x/%2e%2e/api': ['127.0.1.2', '/api'],
    '/x/%2E./api': ['127.0.1.2', '/api'],
    '/../../../api': ['127.0.1.2', '/api'],
    '/..//../other.test/': ['127.0.1.1', '/other.test/'],
    '/./api/./x': ['127.0.1.2', '/api/x'],
    '/api/..': ['127.0.1.1', '/'],
    '/%61pi': ['127.0.1.2', '/api'],
    '/api%2fx': ['127.0.1.1', '/api%2Fx'],
    '/api/..%2f..%2fx': ['127.0.1.2', '/api/..%2F..%2Fx'],
    '/%252e%252e/api': ['127.0.1.1', '/%252e%252e/api'],
    '/x//../api': ['127.0.1.1', '/x/api'],
    '/api;v=1': ['127.0.1.1', '/api;v=1'],
    '/\\..\\api': ['127.0.1.1', '/\\..\\api'],
  };
  for (const [path, [address, url]] of Object.entries(expected)) {
    const answer = await fixture.send(`GET ${path} HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n`);
    assert.deepEqual([seen(answer).address, seen(answer).url], [address, url], path);
  }
});

test('no header leads to another site or to the API', async () => {
  const names = [
    'X-Forwarded-Host',
    'X-Host',
    'Forwarded',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Forwarded-Server',
    'X_Forwarded_Host',
  ];
  for (const name of names)
    for (const value of ['other.test', 'localhost', 'host=localhost']) {
      assert.equal(await reached('/', 'shop.test', `${name}: ${value}\r\n`), '127.0.1.1');
      assert.equal(await reached('/', 'nowhere.test', `${name}: ${value}\r\n`), '404');
    }
});

test('connections kept open to one endpoint never serve another', async () => {
  const hosts = ['shop.test', 'other.test'] as const;
  const owners = { 'shop.test': /^127\.0\.1\./, 'other.test': /^127\.0\.2\./ };
  const onOneConnection = async (index: number) => {
    const order = Array.from({ length: 12 }, (_, step) => hosts[(index + step) % 2]!);
    const requests = order.map(
      (host, step) =>
        `GET /${step % 3 ? 'api' : ''} HTTP/1.1\r\nHost: ${host}\r\n${step === 11 ? 'Connection: close\r\n' : ''}\r\n`,
    );
    const answers = (await send(fixture.settings.port, requests.join(''))).split('HTTP/1.1 200').slice(1);
    assert.equal(answers.length, 12);
    for (const [step, answer] of answers.entries()) assert.match(whoIs(answer), owners[order[step]!]);
  };
  for (let round = 0; round < 5; round += 1)
    await Promise.all(Array.from({ length: 20 }, (_, index) => onOneConnection(index)));
});

test('what may not be sent twice goes by no connection that the endpoint may just be closing', async (t) => {
  // The server keeps each connection open after a response, and closes it silently at the next request.
  const closing = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.once('data', () => socket.destroy());
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  await new Promise<void>((resolve) => closing.listen(0, '127.0.5.1', resolve));
  t.after(() => void closing.close());
  await publish(site('closing.test', { '/': '127.0.5.1' }, (closing.address() as AddressInfo).port));
  for (const method of ['GET', 'POST', 'DELETE']) {
    const request = (last: boolean) =>
      `${method} / HTTP/1.1\r\nHost: closing.test\r\nContent-Length: 0\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
    const answers = await send(fixture.settings.port, [false, false, false, true].map(request).join(''));
    assert.equal(answers.split('HTTP/1.1 200').length - 1, 4, `${method}: ${answers}`);
  }
});

test('real HAProxy answers random tables and requests as the rules say', async () => {
  const hosts = fc.constantFrom(
    'a.test',
    'b.test',
    'A.Test',
    'b.test.',
    'aa.test',
    'c b.test',
    "c';.test",
    '#.test',
    'a\n.test',
  );
  const segments = fc.constantFrom(
    'api',
    'apiary',
    'v1',
    'API',
    '%61pi',
    'a b',
    'é',
    "'",
    '"',
    '#',
    ';',
    '$x',
    '\\',
    '%2F',
    '..',
    '.',
    '',
    '~',
    '%7e',
    'x\ny',
    '<<',
    '@1',
  );
  const path = fc.array(segments, { maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
  const address = fc.integer({ min: 1, max: 250 }).map((number) => `127.0.9.${number}`);
  const endpoint = fc.record({ path, address, port: fc.constant(upstream.port) });
  const table = fc.array(fc.record({ host: hosts, endpoints: fc.array(endpoint, { maxLength: 5 }) }), { maxLength: 5 });
  const requestPath = path.map((text) => encodeURI(text).replaceAll('%25', '%').replaceAll('#', '%23'));
  const requests = fc.array(
    fc.record({ host: fc.constantFrom('a.test', 'B.TEST', 'b.test.:80', 'aa.test', 'none.test'), path: requestPath }),
    { minLength: 12, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(table, requests, async (sites, requested) => {
      await publish(...sites);
      await Promise.all(
        requested.map(async ({ host, path }) => {
          const possible = expectedAddresses(sites, host, path);
          const actual = await reached(path, host);
          assert.ok(possible.includes(actual), `${host} ${path}: ${actual} instead of ${possible}`);
        }),
      );
    }),
    { numRuns: 120 },
  );
});
