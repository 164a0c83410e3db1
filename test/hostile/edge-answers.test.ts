/** Sites may send any answer. Only their own visitors see it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { type EdgeFixture, openEdge, site, startUpstream, stop } from '../support/edge.ts';
import { exchange } from './edge-world.ts';

const poison = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
const ok = (headers: string[], body: string) => ['HTTP/1.1 200 OK', ...headers, '', body].join('\r\n');

const answers: Record<string, string> = {
  'two answers to one request': ok(['Content-Length: 2'], `ok${poison}`),
  'an answer longer than it says': ok(['Content-Length: 2'], 'ok and more'),
  'an answer shorter than it says': ok(['Content-Length: 200'], poison),
  'two lengths': ok(['Content-Length: 2', 'Content-Length: 60'], `ok${poison}`),
  'a length and a coding': ok(['Content-Length: 60', 'Transfer-Encoding: chunked'], `0\r\n\r\n${poison}`),
  'an unknown coding': ok(['Transfer-Encoding: cow'], `0\r\n\r\n${poison}`),
  'an answer behind the last chunk': ok(['Transfer-Encoding: chunked'], `2\r\nok\r\n0\r\n\r\n${poison}`),
  'a header with a bare line feed': ok(['X: a\n\nHTTP/1.1 200 OK', 'Content-Length: 2'], `ok${poison}`),
  'a folded header': ok(['X: a', ' Content-Length: 0', 'Content-Length: 2'], `ok${poison}`),
  'no content, with content': `HTTP/1.1 204 No Content\r\n\r\n${poison}`,
  'not modified, with content': `HTTP/1.1 304 Not Modified\r\nContent-Length: 60\r\n\r\n${poison}`,
  'an upgrade without a request': `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${poison}`,
  'many preliminary answers': 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500) + poison,
  'a body without a head': 'poison',
  'a head without an end': `HTTP/1.1 200 OK\r\n${'X: x\r\n'.repeat(20_000)}`,
  'bytes of no protocol': '\0\x01\x02\x03'.repeat(1000),
};
const titles = Object.keys(answers);

let fixture: EdgeFixture;
let ends: (() => Promise<unknown>)[] = [];

before(async () => {
  const upstream = await startUpstream();
  // Keeps its connections, so that what it says too much lies in wait for the next request on them.
  const hostile = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const index = Number(/GET \/(\d+)/.exec(bytes.toString('latin1'))?.[1]);
      socket.write(answers[titles[index]!] ?? poison, 'latin1');
    });
  });
  hostile.listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  fixture = await openEdge();
  const api = await fixture.startApi();
  await fixture.edge.publish([
    site('hostile.test', { '/': '127.0.0.1' }, (hostile.address() as AddressInfo).port),
    site('victim.test', { '/': '127.0.2.1' }, upstream.port),
  ]);
  ends = [fixture.end, () => stop(api), () => stop(upstream.server), async () => hostile.close()];
});
after(async () => {
  for (const end of ends) await end();
});

function get(host: string, path: string, connection: 'close' | 'keep-alive'): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\n\r\n`;
}

for (const [index, title] of titles.entries()) {
  test(`${title}: what others are answered stays theirs`, async () => {
    const { port } = fixture.settings;
    // On the visitor's own connection, where the answers to two sites follow one another.
    const both = exchange(port, get('hostile.test', `/${index}`, 'keep-alive') + get('victim.test', '/own', 'close'));
    const others = Array.from({ length: 10 }, (_, time) => [
      exchange(port, get('victim.test', `/other-${time}`, 'close')),
      exchange(port, get('localhost', `/other-${time}`, 'close')),
    ]);
    for (const [time, pair] of others.entries()) {
      const [victim, api] = await Promise.all(pair);
      assert.match(victim!, new RegExp(`^HTTP/1\\.1 200 OK\\r\\n[\\s\\S]*"127\\.0\\.2\\.1","url":"/other-${time}"`));
      assert.match(api!, new RegExp(`^HTTP/1\\.1 200 OK\\r\\n[\\s\\S]*"api":true,"url":"/other-${time}"`));
      for (const answer of [victim!, api!]) assert.equal(answer.split('HTTP/1.1 ').length, 2, 'one answer each');
    }
    // The edge gives each answer an id; what a site only calls an answer has none.
    const [, second] = (await both).split(/(?=HTTP\/1\.1 \d{3} )/).filter((part) => /^x-request-id: /im.test(part));
    if (second !== undefined) assert.match(second, /"127\.0\.2\.1","url":"\/own"/);
  });
}

test('a visitor of such a site does see what it answers', async () => {
  const { port } = fixture.settings;
  assert.match(await exchange(port, get('hostile.test', '/99', 'close')), /^HTTP\/1\.1 200 OK\r\n[\s\S]*poison$/);
});
