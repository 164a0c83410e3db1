import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { countTurns } from '../../../test/support/count-turns.ts';
import { type EdgeFixture, openEdge, site, stop } from '../../../test/support/edge.ts';
import { answerBoundsMs } from '../../deployment/metrics/use.ts';
import { parseCounts } from './request-counts.ts';

let fixture: EdgeFixture;
/** Responds with the status in the path, after the milliseconds in the query. */
const server = createServer(async (incoming, response) => {
  const url = new URL(incoming.url ?? '/', 'http://shop.test');
  await delay(Number(url.searchParams.get('after') ?? 0));
  response.writeHead(Number(url.pathname.slice(1)) || 200).end();
});

before(async () => {
  fixture = await openEdge();
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // No server listens at the address of the second: its network is missing.
  await fixture.edge.publish([
    site('shop.test', { '/': '127.0.3.1' }, port),
    site('down.test', { '/': '127.0.3.2' }, 1),
  ]);
});
after(async () => {
  await stop(server);
  await fixture.end();
});

test('requests are counted by address: how many, which failed and by whose fault, and how long they took', async () => {
  // The edge still adds its headers to every response.
  for (const path of ['/', '/204', '/404', '/429', '/500', '/?after=120', '/302'])
    assert.ok((await fixture.ask({ host: 'shop.test', path })).headers['x-request-id']);
  assert.equal((await fixture.ask({ host: 'down.test' })).status, 503);
  await fixture.ask({ host: 'no.such.site' });
  const all = await fixture.edge.countRequests();
  assert.deepEqual([...all.keys()].sort(), ['127.0.3.1', '127.0.3.2']);
  const shop = all.get('127.0.3.1')!;
  assert.deepEqual([shop.requests, shop.clientErrors, shop.serverErrors], [7, 2, 1]);
  assert.equal(sumOf(shop.tookWithin), 7);
  // One response took at least 120 ms.
  assert.ok(sumOf(shop.tookWithin.slice(answerBoundsMs.indexOf(250))) >= 1, String(shop.tookWithin));
  const { requests, serverErrors } = all.get('127.0.3.2')!;
  assert.deepEqual([requests, serverErrors], [1, 1]);
});

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

test('an answer of HAProxy is parsed with any other content', async () => {
  const count = fc.nat(1e9);
  const entry = fc.record({
    address: fc.ipV4(),
    counts: fc.array(count, { minLength: 14, maxLength: 14 }),
    underWay: count,
  });
  const noise = fc.constantFrom('', '# table: under-way, type: string, size:102400, used:1', 'Unknown command', 'key=');
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(entry, { selector: ({ address }) => address }), noise, async (entries, line) => {
      const lines = entries.map(
        ({ address, counts, underWay }) =>
          `0x55f6935b3c40: key=${address} use=0 exp=3599840 conn_cur=${underWay} ${counts.map((value, place) => `gpc${place}=${value}`).join(' ')}`,
      );
      const found = await parseCounts([line, ...lines, ''].join('\n'));
      assert.equal(found.size, entries.length);
      for (const { address, counts } of entries) {
        const [requests, clientErrors, serverErrors, ...tookWithin] = counts;
        assert.deepEqual(found.get(address), { requests, clientErrors, serverErrors, tookWithin });
      }
    }),
  );
});

test('while a long answer is read, others have their turn', async () => {
  const line = (number: number) => `0x55f6935b3c40: key=10.0.${number >> 8}.${number & 255} use=0 gpc0=${number}`;
  const turns = countTurns();
  const found = await parseCounts(Array.from({ length: 10_000 }, (_, number) => line(number)).join('\n'));
  assert.equal(found.get('10.0.1.0')?.requests, 256);
  assert.ok(turns.end() >= 10);
});
