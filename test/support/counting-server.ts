/** A server of a test at an address of this machine, which counts who connects. */
import type { Server as PlainServer } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';

export type CountingServer = { port: number; connections: () => number; close: () => Promise<void> };

export async function listenAndCount(server: Server | PlainServer, address: string): Promise<CountingServer> {
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
