import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { type CountingServer, listenAndCount } from '../../../test/support/counting-server.ts';
import { createDialer } from '../../images/dialer/dialer.ts';
import { badge, rawAddress } from './fetch-endpoint.ts';

/** This API treats 127.0.0.1 as a public address, and all other addresses as private. */
describe('fetching a configuration', () => {
  let outside: CountingServer;
  let inside: CountingServer;
  let api: TestApi;
  const routes: Record<string, RequestListener> = {};
  const stack = new AsyncDisposableStack();

  before(async () => {
    const pair = await makeCertificate('DNS:outside.example', 'DNS:inside.example', 'IP:127.0.0.1', 'IP:127.0.0.2');
    setDefaultCACertificates([...getCACertificates(), pair.cert]);
    const serve: RequestListener = (request, response) => {
      const route = routes[request.url!];
      if (route) return route(request, response);
      response.setHeader('content-type', 'text/plain; charset=utf-8').end(shopYaml);
    };
    outside = stack.adopt(await listenAndCount(createServer(pair, serve), '127.0.0.1'), ({ close }) => close());
    inside = stack.adopt(await listenAndCount(createServer(pair, serve), '127.0.0.2'), ({ close }) => close());
    const names: Record<string, string[]> = {
      'outside.example': ['127.0.0.1'],
      'inside.example': ['127.0.0.2'],
      'both.example': ['127.0.0.1', '127.0.0.2'],
    };
    const dialer = createDialer({
      resolve: async (name) => names[name] ?? [],
      isAllowed: (address) => address === '127.0.0.1',
      answerMs: 2_000,
    });
    stack.use(dialer);
    api = await testApi({}, undefined, undefined, undefined, { dialer });
  });
  after(async () => await stack.disposeAsync());

  const ask = (from: string, on = api) => on.get(`/fetchDocument?from=${encodeURIComponent(from)}`);
  const at = (path: string, name = 'outside.example', { port } = outside) => `https://${name}:${port}${path}`;
  const refused = async (from: string, because: RegExp, code = 'document_unavailable') => {
    const { body } = await ask(from);
    assert.equal(body.code, code, JSON.stringify(body));
    assert.match(body.error, because);
    assert.ok(!('text' in body));
  };

  test('answers the text as it is, and where it came from', async () => {
    const { status, body } = await ask(at('/app.yaml#part'));
    assert.deepEqual([status, body], [200, { from: at('/app.yaml'), text: shopYaml }]);
    routes['/moved'] = (_, response) => void response.writeHead(302, { location: '/app.yaml' }).end();
    assert.equal((await ask(at('/moved'))).body.from, at('/app.yaml'));
  });

  test('requests no private address in any form, and follows no redirect to one', async () => {
    const before = inside.connections();
    routes['/inside'] = (_, response) =>
      void response.writeHead(302, { location: at('/', 'inside.example', inside) }).end();
    routes['/number'] = (_, response) => void response.writeHead(302, { location: at('/', '127.0.0.2', inside) }).end();
    routes['/plain'] = (_, response) => void response.writeHead(302, { location: 'http://outside.example/' }).end();
    await refused(at('/inside'), /is not on the public internet/);
    await refused(at('/number'), /is not on the public internet/);
    await refused(at('/plain'), /without HTTPS/);
    await refused(at('/', 'inside.example', inside), /is not on the public internet/);
    await refused(at('/', 'both.example', inside), /is not on the public internet/);
    assert.equal(inside.connections(), before);
  });

  test('a service with default settings requests no address of its own machine or network', async () => {
    const real = await testApi();
    const before = outside.connections() + inside.connections();
    const hosts = ['127.0.0.1', '127.0.0.2', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433'];
    for (const host of hosts) {
      const { body } = await ask(at('/', host), real);
      assert.equal(body.code, 'document_unavailable', host);
      assert.match(body.error, /is not on the public internet/, host);
    }
    for (const host of ['169.254.169.254', '10.0.0.1', '192.168.1.1', '[fd00::1]'])
      assert.match((await ask(`https://${host}/`, real)).body.error, /is not on the public internet/, host);
    assert.equal(outside.connections() + inside.connections(), before);
  });

  test('refuses what has no HTTPS, or a login in it', async () => {
    for (const from of ['http://outside.example/', 'file:///etc/passwd', 'app.yaml', 'ftp://outside.example/'])
      await refused(from, /only fetched from https addresses/, 'invalid_request');
    await refused(
      at('/').replace('https://', 'https://me:secret@'),
      /only fetched from https addresses/,
      'invalid_request',
    );
    assert.equal((await api.get('/fetchDocument')).body.code, 'invalid_request');
  });

  test('refuses what is too long, no text, a web page, or not there', async () => {
    const says = (type: string, body: string | Buffer, status = 200): RequestListener => {
      return (_, response) => void response.writeHead(status, { 'content-type': type }).end(body);
    };
    routes['/long'] = says('text/plain', Buffer.alloc(256 * 1024 + 1, 'a'));
    routes['/page'] = says('text/html; charset=utf-8', '<h1>no</h1>');
    routes['/image'] = says('image/png', 'x');
    routes['/bytes'] = says('application/octet-stream', Buffer.from([0xff, 0xfe, 0]));
    routes['/control'] = says('text/plain', 'a: "\u001b[31m"');
    routes['/gone'] = says('text/plain', 'secret words of an error', 404);
    routes['/packed'] = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('x');
    await refused(at('/long'), /more than the 256 KiB/);
    await refused(at('/page'), /answers with a web page/);
    for (const path of ['/image', '/bytes', '/control', '/packed']) await refused(at(path), /plain text/);
    for (const mark of ['\u202e', '\u2066', '\u200f', '\u061c']) {
      routes['/reversed'] = says('text/plain', `image: nginx:1 # ${mark}evil/other`);
      await refused(at('/reversed'), /invisible direction marks/);
    }
    await refused(at('/gone'), /answers with status 404/);
    assert.ok(!JSON.stringify((await ask(at('/gone'))).body).includes('secret words'));
  });

  test('sends nothing about the client', async () => {
    let seen: object = {};
    routes['/headers'] = ({ headers }, response) => {
      seen = headers;
      response.end('a: 1');
    };
    const from = encodeURIComponent(at('/headers'));
    await api.get(`/fetchDocument?from=${from}`, { authorization: 'Bearer berth_secret', cookie: 'a=b' });
    assert.ok(!/secret|a=b/.test(JSON.stringify(seen)), JSON.stringify(seen));
  });

  test('counts fetches of an address by themselves', async () => {
    const few = await testApi({ startRate: { count: 2, windowMs: 60_000 } });
    const codes = [];
    for (let count = 0; count < 3; count++) codes.push((await ask('https://127.0.0.1/', few)).body.code);
    assert.deepEqual(codes, ['document_unavailable', 'document_unavailable', 'rate_limited']);
    assert.equal((await few.postYaml('/startUserDeployment', shopYaml)).status, 200);
  });
});

test('the page of a file on a forge stands for the file', () => {
  const raw = (address: string) => rawAddress(new URL(address)).href;
  const onGitHub = 'https://raw.githubusercontent.com/me/shop/main/deploy/berth.yaml';
  assert.equal(raw('https://github.com/me/shop/blob/main/deploy/berth.yaml'), onGitHub);
  assert.equal(raw('https://github.com/me/shop/raw/main/deploy/berth.yaml'), onGitHub);
  assert.equal(raw('https://gitlab.com/me/shop/-/blob/main/a.yaml'), 'https://gitlab.com/me/shop/-/raw/main/a.yaml');
  for (const other of ['https://example.com/a/b/blob/c', 'https://github.com/me/shop']) assert.equal(raw(other), other);
});

test('the badge can be shown on pages of others', async () => {
  const { status, headers, body } = await (await testApi()).get('/badge.svg');
  assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  assert.equal(String(body), badge);
});
