/** The client's address behind proxies, and the limits per client, with the real HAProxy. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually, openEdge, type Seen, stop } from '../../../test/support/edge.ts';
import type { EdgeSettings } from '../edge-settings.ts';

const stranger = '127.0.0.1';
const proxy = '127.0.0.9';
const farProxy = '127.0.8.1';
const trustedProxies = [proxy, '127.0.8.0/24', 'fd00::/8'];

async function open(context: TestContext, change: Partial<EdgeSettings>) {
  const fixture = await openEdge(change);
  const api = await fixture.startApi();
  const sockets: Socket[] = [];
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    await fixture.end();
    await stop(api);
  });
  const connect = async (from: string): Promise<Socket> => {
    const socket = createConnection({ port: fixture.settings.port, host: '127.0.0.1', localAddress: from });
    socket.setEncoding('latin1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  /** Returns all received data until the end, which may be a reset. */
  const say = async (from: string, bytes: string): Promise<string> => {
    const socket = await connect(from);
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    socket.write(bytes, 'latin1');
    await closed(socket);
    return answer;
  };
  return { connect, say };
}

/** Resolves if the socket is or was closed. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

function requestWith(headers: string[], connection = 'close'): string {
  return ['GET / HTTP/1.1', 'Host: localhost', `Connection: ${connection}`, ...headers, '', ''].join('\r\n');
}

/** The client's address as the API receives it. */
function clientIn(answer: string): unknown {
  const { headers } = JSON.parse(answer.slice(answer.indexOf('{"api"'))) as Seen;
  assert.equal(headers['x-forwarded-for'], headers['x-berth-client']);
  assert.equal(headers['x-real-ip'], headers['x-berth-client']);
  return headers['x-berth-client'];
}

test('behind a trusted proxy the client is the rightmost address that does not belong to such a proxy', async (context) => {
  const { say } = await open(context, { trustedProxies });
  const rows: [from: string, forwarded: string[], client: string][] = [
    [proxy, ['192.0.2.1'], '192.0.2.1'],
    [farProxy, ['192.0.2.1'], '192.0.2.1'],
    [proxy, ['192.0.2.66, 192.0.2.1'], '192.0.2.1'],
    [proxy, ['192.0.2.66', '192.0.2.1'], '192.0.2.1'],
    [proxy, ['192.0.2.66, 192.0.2.1, 127.0.8.7, 127.0.8.8'], '192.0.2.1'],
    [proxy, ['192.0.2.66, 2001:db8::1, fd00::1'], '2001:db8::1'],
    [proxy, ['127.0.8.1, 127.0.8.2'], '127.0.8.1'],
    [proxy, [], proxy],
    [proxy, [''], proxy],
    [proxy, ['unknown'], proxy],
    [proxy, ['192.0.2.66, unknown'], proxy],
    [proxy, ['192.0.2.66, unknown, 127.0.8.1'], farProxy],
    [proxy, [`192.0.2.66, ${'127.0.8.1, '.repeat(5)}127.0.8.2`], farProxy],
    [stranger, ['192.0.2.66'], stranger],
    [stranger, [`192.0.2.66, ${proxy}`], stranger],
    ['127.0.0.10', ['192.0.2.66'], '127.0.0.10'],
  ];
  for (const [from, forwarded, client] of rows) {
    const headers = forwarded.map((value) => `X-Forwarded-For: ${value}`);
    assert.equal(clientIn(await say(from, requestWith(headers))), client, `${from}: ${forwarded.join(' | ')}`);
  }
});

test('what a proxy says of one request is not taken for the next one of its connection', async (context) => {
  const { say } = await open(context, { trustedProxies });
  const requests = [
    requestWith(['X-Forwarded-For: 192.0.2.1'], 'keep-alive'),
    requestWith(['X-Forwarded-For: 192.0.2.2'], 'keep-alive'),
    requestWith([]),
  ];
  const answers = (await say(proxy, requests.join(''))).split('HTTP/1.1 200').slice(1);
  assert.deepEqual(answers.map(clientIn), ['192.0.2.1', '192.0.2.2', proxy]);
});

test('only a trusted proxy can state https', async (context) => {
  const { say } = await open(context, { trustedProxies });
  const proto = async (from: string, value: string) =>
    /"x-forwarded-proto":"(\w+)"/.exec(await say(from, requestWith([`X-Forwarded-Proto: ${value}`])))?.[1];
  assert.equal(await proto(proxy, 'https'), 'https');
  assert.equal(await proto(proxy, 'ftp'), 'http');
  assert.equal(await proto(stranger, 'https'), 'http');
});

test('the PROXY protocol is spoken by trusted proxies alone, and by those always', async (context) => {
  const { say } = await open(context, { trustedProxies, proxyProtocol: true });
  const line = 'PROXY TCP4 192.0.2.1 127.0.0.1 5555 80\r\n';
  assert.equal(clientIn(await say(proxy, line + requestWith([]))), '192.0.2.1');
  assert.equal(clientIn(await say(proxy, line + requestWith(['X-Forwarded-For: 192.0.2.66']))), '192.0.2.1');
  assert.equal(await say(proxy, requestWith([])), '');
  assert.match(await say(stranger, line + requestWith([])), /^HTTP\/1\.1 400 /);
  assert.equal(clientIn(await say(stranger, requestWith([]))), stranger);
});

test('without the setting the PROXY protocol is a bad request, from a trusted proxy too', async (context) => {
  const { say } = await open(context, { trustedProxies });
  assert.match(await say(proxy, `PROXY TCP4 192.0.2.1 127.0.0.1 5 80\r\n${requestWith([])}`), /^HTTP\/1\.1 400 /);
});

test('one client has so many connections; the others, and trusted proxies, do not notice', async (context) => {
  const limits = { connectionsPerClient: 4, requestTimeoutMs: 15_000 };
  const { connect, say } = await open(context, { trustedProxies, limits });
  // Counted when accepted, which an answer shows.
  const idle = await Promise.all(Array.from({ length: 4 }, () => connect(stranger)));
  for (const socket of idle) {
    socket.write(requestWith([], 'keep-alive'));
    await once(socket, 'data');
  }
  const fifth = await say(stranger, requestWith([]));
  assert.match(fifth, /^HTTP\/1\.1 429 /);
  assert.match(fifth, /\r\nretry-after: 1\r\n/i);
  assert.equal(JSON.parse(fifth.slice(fifth.indexOf('{'))).code, 'too_many_connections');
  assert.equal(clientIn(await say('127.0.0.2', requestWith([]))), '127.0.0.2');

  const silent = await Promise.all(Array.from({ length: 8 }, () => connect(stranger)));
  await Promise.any(silent.map(closed));
  assert.equal(clientIn(await say('127.0.0.2', requestWith([]))), '127.0.0.2');
  for (const socket of [...idle, ...silent]) socket.destroy();
  await eventually(async () => (await say(stranger, requestWith([]))).startsWith('HTTP/1.1 200'));

  for (let count = 0; count < 12; count++) await connect(proxy);
  assert.equal(clientIn(await say(proxy, requestWith([]))), proxy);
});
