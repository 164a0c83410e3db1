/** Hands the address of a server over to another one without cutting off or refusing requests. */
import type { Server } from 'node:http';
import { wait } from './wait.ts';

const lookEveryMs = 50;

/**
 * Answers requests on existing connections, and closes each connection after the response. Resolves when none is left,
 * or after `patienceMs`: the remaining ones are idle or slow.
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
