import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { poolConnections } from './cluster.ts';

test('a connection is kept from one request to the next, and closed when it is no longer needed', async () => {
  const pair = await makeCertificate('IP:127.0.0.1');
  const server = createServer({ ...pair, keepAliveTimeout: 0 }, (_, response) => void response.end('{}'));
  let opened = 0;
  const closed = new Promise<void>((resolve) =>
    server.on('secureConnection', (socket) => {
      opened += 1;
      socket.once('close', () => resolve());
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/version`);
    const agent = new Agent({ ca: pair.cert });
    const connections = poolConnections();
    for (let request = 0; request < 2; request++) {
      const answer = await connections.send(url, { agent }, undefined);
      await once(answer.resume(), 'close');
    }
    assert.equal(opened, 1);
    connections[Symbol.dispose]();
    await closed;
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
