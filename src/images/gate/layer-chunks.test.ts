import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { digestOf } from '../../lib/digest.ts';
import { usualPace } from '../dialer/bounded-body.ts';
import { createDialer } from '../dialer/dialer.ts';
import { type LayerOrigin, verifiedChunks } from './layer-chunks.ts';

test('a layer comes unchanged, over TLS and without, in one piece and in many, to slow readers too', async (t) => {
  const content = randomBytes(3_000_000);
  const pair = await makeCertificate('IP:127.0.0.1');
  for (const isSecure of [true, false])
    for (const tellsLength of [true, false]) {
      const answer = sends(content, tellsLength);
      const server = isSecure ? createSecureServer(pair, answer) : createServer(answer);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      t.after(() => server.close());
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const listed = new Map([[host, { plainHttp: !isSecure, ca: pair.cert }]]);
      using dialer = createDialer({ listed });
      const url = new URL(`${isSecure ? 'https' : 'http'}://${host}/`);
      const request: LayerOrigin['client']['request'] = (method, _, { signal }) =>
        dialer.request(url, { method, mayUseListed: true, signal });
      const origin = { client: { request }, context: { image: 'x', registry: host, hasLogin: false } };
      for (const isSlow of [false, true]) {
        const layer = { digest: digestOf(content), sizeBytes: content.length, mediaType: '' };
        const chunks: Buffer[] = [];
        const { signal } = new AbortController();
        let last: Buffer = Buffer.alloc(0);
        for await (const chunk of verifiedChunks(origin, layer, { pace: usualPace, signal })) {
          // Valid until the next but one is requested.
          chunks.push(Buffer.from(last));
          last = chunk;
          if (isSlow) await new Promise((next) => setTimeout(next, 2));
        }
        assert.ok(Buffer.concat([...chunks, last]).equals(content), `${url.protocol} ${tellsLength} ${isSlow}`);
      }
    }
});

/** Sends small parts, some of them together, and then large ones. */
function sends(content: Buffer, tellsLength: boolean): RequestListener {
  return async (_, response) => {
    if (tellsLength) response.setHeader('content-length', content.length);
    let at = 0;
    for (let size = 1; at < content.length; size = (size * 7 + 1) % (at < content.length / 5 ? 2_003 : 150_001)) {
      const part = content.subarray(at, at + size);
      at += part.length;
      if (!response.write(part)) await once(response, 'drain');
      // Some parts arrive separately.
      if (part.length % 10 === 0) await new Promise((next) => setImmediate(next));
    }
    response.end();
  };
}
