/** A push over connections that break: it continues after each break, and fails if the service stops answering. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { createRegistryClient } from '../../src/push/registry/push-client.ts';
import { type Berth, createBerth } from '../scenarios/berth.ts';

let berth: Berth;
let folder: string;
before(async () => {
  berth = await createBerth({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-broken-'));
});
after(async () => {
  await berth?.destroy();
  await rm(folder, { recursive: true, force: true });
});

/** Between the client and the service: each connection breaks after so many bytes. */
async function unreliable(afterBytes: number) {
  const sockets = new Set<Socket>();
  let passedBytes = 0;
  let broken = 0;
  const server = createServer((client) => {
    const service = connect(berth.settings.port, '127.0.0.1');
    let bytes = 0;
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy();
          service.destroy();
        });
    }
    client.on('data', (piece) => {
      if (bytes >= afterBytes) return;
      bytes += piece.length;
      passedBytes += piece.length;
      service.write(piece);
      if (bytes < afterBytes) return;
      broken++;
      // Forwarded data is read first.
      service.end(() => client.destroy());
    });
    service.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passedBytes: () => passedBytes,
    broken: () => broken,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function session() {
  const made = await createClient({ baseUrl: berth.settings.baseUrl.origin }).call('createSession');
  assert.ok(made.ok);
  return { token: made.value.sessionToken, repository: `${made.value.images.split('/')[1]}/web` };
}

const signal = new AbortController().signal;

test('a layer arrives whole over connections that all break, without starting again each time', async (t) => {
  const { token, repository } = await session();
  const proxy = await unreliable(11 * 2 ** 20);
  t.after(() => proxy.close());
  const content = randomBytes(40 * 2 ** 20);
  const file = join(folder, 'layer');
  await writeFile(file, content);
  const digest = digestOf(content);
  const registry = createRegistryClient({ server: proxy.origin, token, signal, pauses: Array(20).fill(10) });
  let reported = 0;
  assert.equal(await registry.hasBlob(repository, digest), false);
  await registry.sendBlob(repository, { file, digest, sizeBytes: content.length }, (bytes) => {
    reported += bytes;
  });
  assert.equal(await registry.hasBlob(repository, digest), true);
  assert.equal(reported, content.length, 'each byte is reported once');
  assert.ok(proxy.broken() >= 2, `${proxy.broken()} connections broke`);
  assert.ok(proxy.passedBytes() < 2.5 * content.length, `${proxy.passedBytes()} bytes were sent`);
});

test('a service that never answers is reported as such, and a refusal in its own words', async () => {
  const { token, repository } = await session();
  const nobody = createRegistryClient({ server: 'http://127.0.0.1:1', token, signal, pauses: [1] });
  await assert.rejects(nobody.hasBlob(repository, `sha256:${'0'.repeat(64)}`), { isUnreachable: true });
  const { origin: server } = berth.settings.baseUrl;
  const file = join(folder, 'small');
  await writeFile(file, 'small');
  const registry = createRegistryClient({ server, token, signal, pauses: [1] });
  const blob = { file, digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 5 };
  await assert.rejects(
    registry.sendBlob(repository, blob, () => {}),
    /the uploaded data has a different digest/,
  );
  await assert.rejects(
    registry.sendBlob('s0000000000000000/web', blob, () => {}),
    /your images are named/,
  );
});
