/** Tests redirects to another custom name, with certificates of an authority for both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../../test/free-port.ts';
import { makeAuthority } from '../../../test/support/certificate.ts';
import { openEdge, type Seen, site, startUpstream, stop } from '../../../test/support/edge.ts';
import { tlsClient } from '../../../test/support/tls.ts';

test('visitors are sent on to a name once it has its certificate, and get the application itself until then', async (t) => {
  const authority = await makeAuthority();
  const issue = async (host: string) => {
    const { cert, key } = await authority.issue([`DNS:${host}`]);
    return { name: host, host, pem: cert + key };
  };
  const [www, apex] = [await issue('www.shop.test'), await issue('shop.test')];
  const upstream = await startUpstream();
  const httpsPort = await freePort();
  const fixture = await openEdge({ tls: { port: httpsPort, publicPort: httpsPort, isIssued: true } }, [www]);
  t.after(async () => {
    await fixture.end();
    await stop(upstream.server);
  });
  await fixture.edge.publish([
    site('shop.test', { '/': '127.0.1.1' }, upstream.port),
    { ...site('www.shop.test', { '/': '127.0.1.1', '/api': '127.0.1.2' }, upstream.port), redirectTo: 'shop.test' },
  ]);
  const host = `www.shop.test:${httpsPort}`;
  const ask = (path: string) => tlsClient(httpsPort, authority.root).ask({ host, path });

  for (const [path, address] of [
    ['/a?b', '127.0.1.1'],
    ['/api/x', '127.0.1.2'],
  ] as const) {
    const { status, body } = await ask(path);
    assert.deepEqual([status, (JSON.parse(body) as Seen).address], [200, address]);
  }
  await fixture.edge.certify([www, apex]);
  const sent = await ask('/a%20b?c=/d');
  assert.deepEqual([sent.status, sent.headers.location], [308, `https://shop.test:${httpsPort}/a%20b?c=/d`]);
  await fixture.edge.certify([www]);
  assert.equal((await ask('/')).status, 200, 'its certificate has ended');
});
