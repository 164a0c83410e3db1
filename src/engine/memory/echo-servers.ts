/** Answers for the simulated workloads: the first port at the address of each returns the request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { MemoryContainer, MemoryWorld } from './world.ts';

export type EchoServers = { close(): Promise<void> };

type Log = { warn(fields: object, message: string): void };

/** Addresses have to be of this machine. */
export function startEchoServers(world: MemoryWorld, log: Log): EchoServers {
  const servers = new Map<MemoryContainer, Server>();

  /** Removed workloads stop responding. Workloads with an address respond. */
  function follow(deploymentId: string): void {
    const present = world.containers.of(deploymentId).filter(({ phase }) => phase === 'running');
    for (const [container, server] of servers) {
      if (container.deploymentId !== deploymentId || present.includes(container)) continue;
      servers.delete(container);
      void end(server);
    }
    for (const container of present) {
      const { address, workload } = container;
      const [port] = workload.ports;
      if (address === undefined || port === undefined || servers.has(container)) continue;
      const server = createServer((request, response) => echo(workload, request, response));
      server.on('error', (err) => log.warn({ err, workload: workload.name }, 'nothing answers for this workload'));
      servers.set(container, server.listen(port, address));
    }
  }

  world.watchers.add(follow);
  return {
    async close() {
      world.watchers.delete(follow);
      await Promise.all([...servers.values()].map(end));
    },
  };
}

function echo({ pod, image }: MemoryContainer['workload'], { method, url }: IncomingMessage, response: ServerResponse) {
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`${method} ${url}\nPod ${pod}, which would run ${image}: the in-memory engine runs no programs.\n`);
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
