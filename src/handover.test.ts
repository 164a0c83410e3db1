import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { edgePaths } from './edge/edge-paths.ts';
import { findPredecessor } from './handover.ts';

let dataDir: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-handover-'));
  await mkdir(dirname(edgePaths(dataDir).serviceSocket), { recursive: true });
});
after(() => rm(dataDir, { recursive: true }));

test('a service that has ended since it was found counts as handed over', async () => {
  const server = createServer().listen(edgePaths(dataDir).serviceSocket);
  await once(server, 'listening');
  const [predecessor, [socket]] = await Promise.all([findPredecessor(dataDir), once(server, 'connection')]);
  const closed = once(server, 'close');
  server.close();
  (socket as Socket).destroy();
  await closed;
  await using found = predecessor!;
  await found.pause();
});
