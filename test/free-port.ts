/**
 * Ports for servers that tests start elsewhere, in a process or a program of their own. A port that is merely found
 * free may belong to another process when it is used: the kernel gives it to the next request, and test files run at
 * the same time.
 */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { claim } from './claim.ts';

/** Below those that the kernel gives away by itself. */
const end = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)[0]);
const choice = 10_000;

/** A free port that is not given to another test process until this one ends. */
export async function freePort(): Promise<number> {
  const from = Math.max(1024, end - choice);
  const first = randomInt(from, end);
  for (let port = first; ; ) {
    if ((await claim(`port ${port}`)) && (await isFree(port))) return port;
    port = port + 1 < end ? port + 1 : from;
    if (port === first) throw new Error(`no port from ${from} to ${end} is free`);
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen({ host: '0.0.0.0', port });
  if (!server) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** Undefined if another process listens already. */
function listen(options: ListenOptions): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(options, () => resolve(server));
  });
}
