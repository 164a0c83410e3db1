import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import Docker from 'dockerode';
import { labelKeys } from '../../labels.ts';
import { createLogReader } from './container-logs.ts';

const frame = (text: string): Buffer => {
  const line = Buffer.from(`2026-01-01T12:00:00.000000000Z ${text}\n`);
  const head = Buffer.alloc(8);
  head[0] = 1;
  head.writeUInt32BE(line.length, 4);
  return Buffer.concat([head, line]);
};

/** An engine whose containers belong to the deployment that is named before the dash. */
async function engine(context: TestContext, answerLogs: (response: ServerResponse, tail: number) => void) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://engine');
    const [, , name = '', what] = pathname.split('/');
    if (what === 'logs') return answerLogs(response, Number(searchParams.get('tail') ?? Number.POSITIVE_INFINITY));
    const Labels = { [labelKeys.owner]: 'us', [labelKeys.deployment]: name.split('-')[0] };
    const State = { StartedAt: '2026-01-01T12:01:00Z', FinishedAt: '2026-01-01T12:00:30Z' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ Id: name, Config: { Labels }, State }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return createLogReader(new Docker({ protocol: 'http', host: '127.0.0.1', port }), 'us');
}

test('lines from before the last start are looked for further and further back', async (context) => {
  const tails: number[] = [];
  const read = await engine(context, (response, tail) => {
    tails.push(tail);
    response.end(tail > 5_000 ? Buffer.concat(['one', 'two', 'three'].map(frame)) : '');
  });
  const lines = await read('shop-web', { tail: 2, isPrevious: true });
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['two', 'three'],
  );
  assert.deepEqual(tails, [1_032, 8_032]);
});

test('the log of an endless writer is read up to a limit', async (context) => {
  const line = frame('x'.repeat(60_000));
  let sentBytes = 0;
  const read = await engine(context, (response) => {
    const write = () => {
      while (!response.destroyed) {
        sentBytes += line.length;
        if (!response.write(line)) return void response.once('drain', write);
      }
    };
    write();
  });
  assert.deepEqual(await read('shop-web', { tail: 100, isPrevious: true }), []);
  assert.ok(sentBytes < 64 * 2 ** 20, `${sentBytes}`);
});

for (const { whose, names, most } of [
  { whose: 'all', names: ['shop-web', 'shop-db', 'blog-web', 'blog-db', 'wiki-web', 'wiki-db'], most: 2 },
  { whose: 'one deployment', names: ['shop-web', 'shop-db', 'shop-queue'], most: 1 },
])
  test(`of the containers of ${whose} at most ${most} are read so at a time`, async (context) => {
    let open = 0;
    let maxOpen = 0;
    const held: ServerResponse[] = [];
    const read = await engine(context, (response) => {
      open++;
      maxOpen = Math.max(maxOpen, open);
      held.push(response);
    });
    let ended = 0;
    const reads = names.map((name) => read(name, { tail: 1, isPrevious: true }).then(() => ended++));
    while (ended < names.length) {
      await new Promise(setImmediate);
      const response = held.shift();
      if (!response) continue;
      open--;
      response.end(frame('before'));
    }
    await Promise.all(reads);
    assert.ok(maxOpen <= most, `${maxOpen}`);
  });
