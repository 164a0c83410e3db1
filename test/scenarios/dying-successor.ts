/**
 * A service that takes another one's place, and dies in the one moment that counts: requests come to it already, and it has
 * not yet said so. Its argument is the data directory.
 */
import { createServer } from 'node:net';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import { createServerSockets } from '../../src/edge/server-sockets.ts';
import { findPredecessor } from '../../src/handover.ts';

const dataDir = process.argv[2]!;
const predecessor = await findPredecessor(dataDir);
if (!predecessor) throw new Error('the predecessor is missing');
await predecessor.pause();
const sockets = createServerSockets();
const { apiSocket, pagesSocket, registrySocket, serviceSocket } = edgePaths(dataDir);
for (const socket of [apiSocket, pagesSocket, registrySocket, serviceSocket])
  await sockets.at(
    socket,
    socket === serviceSocket ? 'private' : 'proxy',
  )((path) => new Promise((resolve) => createServer().listen(path, () => resolve(undefined))));
await sockets.open();
process.kill(process.pid, 'SIGKILL');
