/** Options of a route in the real HAProxy. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EdgeFixture, openEdge, type Seen, site, startUpstream, stop } from '../../../test/support/edge.ts';
import type { RouteOptions } from '../../config/spec/spec.ts';

let fixture: EdgeFixture;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
before(async () => {
  upstream = await startUpstream();
  fixture = await openEdge();
});
after(async () => {
  await fixture.end();
  await stop(upstream.server);
});

async function publish(paths: Record<string, string | string[]>, options: RouteOptions): Promise<void> {
  const { host, endpoints } = site('shop.test', paths, upstream.port);
  await fixture.edge.publish([{ host, endpoints: endpoints.map((endpoint) => ({ ...endpoint, ...options })) }]);
}

async function seenAt(target: string): Promise<Seen> {
  const lines = ['Host: shop.test', 'X-Forwarded-Prefix: /forged', 'Connection: close'];
  const answer = await fixture.send(`GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Seen;
}

test('a pod receives the path without its prefix, which a header names', async () => {
  await publish({ '/': '127.0.1.1', '/api': '127.0.1.2', '/a/b/c/d/e': '127.0.1.3' }, { stripPrefix: true });
  for (const [target, expected] of Object.entries({
    '/x': '127.0.1.1 /x undefined',
    '/api': '127.0.1.2 / /api',
    '/api/': '127.0.1.2 / /api',
    '/api?x=/api': '127.0.1.2 /?x=/api /api',
    '/api/users/7/?q=1': '127.0.1.2 /users/7/?q=1 /api',
    '/api/api': '127.0.1.2 /api /api',
    '/%61pi/%2Fx': '127.0.1.2 /%2Fx /api',
    '/api//evil.example/x': '127.0.1.2 /evil.example/x /api',
    '/a/b/c/d/e/f': '127.0.1.3 /f /a/b/c/d/e',
  })) {
    const { address, url, headers } = await seenAt(target);
    assert.equal(`${address} ${url} ${headers['x-forwarded-prefix']}`, expected, target);
  }
});

test('without the option, the pod receives the whole path, and no header', async () => {
  await publish({ '/api': '127.0.1.2' }, {});
  const { url, headers } = await seenAt('/api/x');
  assert.deepEqual([url, headers['x-forwarded-prefix']], ['/api/x', undefined]);
});

test('the requests of one client reach one replica of a sticky route, and all replicas of another', async () => {
  const replicas = { '/': ['127.0.1.1', '127.0.1.2', '127.0.1.3'] };
  const reached = async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => seenAt('/')));
    return new Set(all.map(({ address }) => address)).size;
  };
  await publish(replicas, { sticky: true });
  assert.equal(await reached(), 1);
  await publish(replicas, {});
  assert.equal(await reached(), 3);
});
