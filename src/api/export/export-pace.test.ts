import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { type ExportPace, untilTooSlow } from './export-endpoint.ts';

const never = 2 ** 31 - 1;

/** Starts a transfer whose reader stops after the first bytes. */
async function stuck(t: { after(work: () => void): void }, pace: ExportPace): Promise<AbortSignal> {
  const found = Promise.withResolvers<AbortSignal>();
  const server = createServer((_, response: ServerResponse) => {
    const signal = untilTooSlow(response, 2 ** 26, pace);
    response.write(Buffer.alloc(2 ** 26));
    found.resolve(signal);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
  });
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  socket.pause();
  return await found.promise;
}

async function isAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

test('a reader that takes nothing is given up, however long the whole may last', async (t) => {
  await isAborted(await stuck(t, { graceMs: never, minBytesPerMs: 1, idleMs: 50 }));
});

test('a reader that is too slow on the whole is given up', async (t) => {
  await isAborted(await stuck(t, { graceMs: 1, minBytesPerMs: 2 ** 26, idleMs: never }));
});

test('a copy that takes more than a timer can count is not given up at once', async (t) => {
  const signal = await stuck(t, { graceMs: never, minBytesPerMs: 1e-9, idleMs: never });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(signal.aborted, false);
});
