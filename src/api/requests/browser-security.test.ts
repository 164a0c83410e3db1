import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';

const paths = ['/', '/claim/claim_x', '/schema', '/openapi.json', '/healthz', '/getReservations', '/nothing', '/%zz'];

test('every response restricts browsers to this origin, without frames and scripts', async () => {
  const api = await testApi({ baseUrl: new URL('https://berth.example.com') });
  for (const path of paths) {
    const { headers } = await api.get(path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['x-frame-options'], 'DENY', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin', path);
    assert.equal(headers['strict-transport-security'], 'max-age=31536000', path);
    assert.match(
      String(headers['content-security-policy']),
      /default-src '(?:none|self)'.*frame-ancestors 'none'/,
      path,
    );
  }
  const { headers } = await (await testApi()).get('/schema');
  assert.equal(headers['strict-transport-security'], undefined, 'http is not upgraded to https');
});

test('no answer lets a page of another origin read it', async () => {
  const api = await testApi();
  const origin = 'https://evil.example';
  for (const path of paths) {
    for (const method of ['GET', 'OPTIONS', 'POST'] as const) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await api.app.inject({ method, url: path, headers });
      const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(cors, [], `${method} ${path}`);
    }
  }
});

test('a page of another origin cannot start anything, in no way that a browser sends', async () => {
  const api = await testApi();
  const host = 'localhost:8080';
  const start = (headers: Record<string, string>) =>
    api.postYaml('/startUserDeployment', shopYaml, { host, 'content-type': 'text/plain', ...headers });
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:8081' },
    { origin: 'http://jolly-tapir-shop.localhost:8080' },
    { origin: 'http://localhost:8080.evil.example' },
    { origin: 'http://evil.example@localhost:80' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:8080' },
  ];
  for (const headers of foreign) {
    const { status, body } = await start(headers);
    assert.deepEqual([status, body.code], [403, 'cross_site_request'], JSON.stringify(headers));
  }
  assert.equal(api.woken.length, 0);
  const own: Record<string, string>[] = [{}, { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }];
  for (const headers of own) assert.equal((await start(headers)).status, 200, JSON.stringify(headers));
  assert.equal((await start({ origin: 'https://evil.example', authorization: 'Bearer berth_x' })).status, 404);
  const byAddress = { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' };
  assert.equal((await start(byAddress)).status, 200);
});

test("invalid HTTP and unknown methods get the API's own errors", async (context) => {
  const api = await testApi();
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  context.after(() => api.app.close());
  const { port } = api.app.server.address() as { port: number };
  const bad = [
    'BREW /schema HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /schema HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n',
    'POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    `GET /schema HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    '\0\0\0\0',
    'GET /schema HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\n\r\n',
  ];
  for (const bytes of bad) {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    const answer = (await socket.setEncoding('latin1').toArray()).join('');
    assert.match(
      answer,
      /^HTTP\/1\.1 (?:400 Bad Request|417 Expectation Failed)\r\n/,
      JSON.stringify(bytes.slice(0, 40)),
    );
    assert.deepEqual(Object.keys(JSON.parse(answer.slice(answer.indexOf('{')))), ['error', 'code', 'hint']);
  }
});
