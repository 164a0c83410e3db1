/**
 * Containers that claim to be a proxy: the client's address in their headers does not count, for any trusted network.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { test } from 'node:test';
import type { EdgeSettings } from '../../src/edge/edge-settings.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { openWorld, plain } from './edge-world.ts';

/** In this world, containers are here, and the operator trusts the whole network around them. */
const networkPool = '127.200.0.0/13';
const trustedProxies = ['127.0.0.0/8'];
const container = '127.203.4.5';
const proxy = '127.0.0.9';
const forged = '192.0.2.66';

/** The client that the API takes each request for, from each address. */
async function clientsSeen(change: Partial<EdgeSettings>, attempts: { from: string; bytes: string }[]) {
  const world = await openWorld({ networkPool, trustedProxies, ...change });
  try {
    const seen: unknown[] = [];
    world.api.app.server.on('request', ({ headers }) => seen.push(headers['x-berth-client']));
    const answers: string[] = [];
    for (const { from, bytes } of attempts) {
      const socket = createConnection({ port: world.settings.port, host: '127.0.0.1', localAddress: from });
      let answer = '';
      socket.setEncoding('latin1').on('data', (text) => {
        answer += text;
      });
      socket.on('error', () => {}).write(bytes);
      await once(socket, 'close');
      answers.push(answer.slice(0, 12));
    }
    return { seen, answers };
  } finally {
    await world.end();
  }
}

test('a container forges no X-Forwarded-For, through a proxy that is trusted either', async () => {
  const forging = plain('localhost', '/healthz', [`X-Forwarded-For: ${forged}`]);
  const through = plain('localhost', '/healthz', [`X-Forwarded-For: ${forged}, ${container}`]);
  const { seen } = await clientsSeen({}, [
    { from: container, bytes: forging },
    { from: proxy, bytes: through },
    { from: proxy, bytes: forging },
  ]);
  assert.deepEqual(seen, [container, container, forged]);
});

test('a container that speaks the PROXY protocol sends a bad request', async () => {
  const line = `PROXY TCP4 ${forged} 127.0.0.1 5555 80\r\n`;
  const { seen, answers } = await clientsSeen({ proxyProtocol: true }, [
    { from: container, bytes: line + plain('localhost', '/healthz') },
    { from: container, bytes: plain('localhost', '/healthz') },
    { from: proxy, bytes: line + plain('localhost', '/healthz') },
  ]);
  assert.deepEqual(answers, ['HTTP/1.1 400', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  assert.deepEqual(seen, [container, forged]);
});

test('one container has no more connections than any client, with any trusted proxies', async () => {
  const limits = { connectionsPerClient: 2, requestTimeoutMs: 15_000 };
  const world = await openWorld({ networkPool, trustedProxies, limits });
  try {
    const open = async (from: string) => {
      const socket = createConnection({ port: world.settings.port, host: '127.0.0.1', localAddress: from });
      socket.on('error', () => {}).write(plain('localhost', '/healthz').replace('close', 'keep-alive'));
      const [first] = await once(socket.setEncoding('latin1'), 'data');
      return { socket, status: String(first).slice(9, 12) };
    };
    const opened = [await open(container), await open(container), await open(container), await open(proxy)];
    assert.deepEqual(
      opened.map(({ status }) => status),
      ['200', '200', '429', '200'],
    );
    for (const { socket } of opened) socket.destroy();
  } finally {
    await world.end();
  }
});

test('trust that includes the containers is refused at the start, in words that say what to write', () => {
  const mistakes = (proxies: string, pool = '10.200.0.0/13') => {
    const read = readSettings({ BERTH_TRUSTED_PROXIES: proxies, BERTH_NETWORK_POOL: pool });
    return read.ok ? [] : read.mistakes;
  };
  assert.deepEqual(mistakes('10.0.0.0/8'), [
    'BERTH_TRUSTED_PROXIES: 10.0.0.0/8 includes the containers of applications (BERTH_NETWORK_POOL, 10.200.0.0/13), which could then forge client addresses; write the addresses of the proxies alone, or 10.0.0.0/9,10.128.0.0/10,10.192.0.0/13,10.208.0.0/12,10.224.0.0/11',
  ]);
  assert.match(mistakes('192.0.2.1,10.201.0.7')[0]!, /10\.201\.0\.7 includes .*; write the addresses of the proxies$/);
  for (const hidden of ['::ffff:10.0.0.0/104', '::ffff:10.200.0.1', '::/64'])
    assert.equal(mistakes(hidden).length, 1, hidden);
  assert.deepEqual(mistakes('10.0.0.0/8', '172.20.0.0/16'), []);
  assert.deepEqual(mistakes('10.0.0.2,10.192.0.0/13,fd00::/8'), []);
});

test('a network of all IPv4 addresses in IPv6 notation covers every client, and is refused as a proxy', () => {
  for (const everybody of ['::/1', '::/80', '::ffff:0:0/96', '::ffff:0.0.0.0/96'])
    assert.match(readSettings({ BERTH_TRUSTED_PROXIES: everybody }).ok ? '' : 'refused', /refused/, everybody);
});
