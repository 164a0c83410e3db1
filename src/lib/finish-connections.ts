/** Leaving a server to another one that has its address: nobody's request is cut off, and none is refused. */
import type { Server } from 'node:http';
import { wait } from './wait.ts';

const lookEveryMs = 50;

/**
 * Answers what comes on connections that are there, and asks each client to make a new one. Resolves when none is left, or
 * after `patienceMs`: then those that are left are idle, or take long.
 */
export async function finishConnections(server: Server, patienceMs: number): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += lookEveryMs) {
    if ((await connectionsOf(server)) === 0) return;
    await wait(lookEveryMs);
  }
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
