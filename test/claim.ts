/**
 * Resources of this machine that only one test at a time may use, over all processes: a subnet, an image that is being
 * built. Ports are in `free-port.ts`.
 */
import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Takes the name until it is released or this process ends; undefined while another process has it. */
export async function claim(name: string): Promise<{ letGo: () => Promise<void> } | undefined> {
  // A socket in no folder: the kernel takes it away together with the process.
  const server = await listen(`\0berth-test ${name}`);
  return server && { letGo: () => close(server) };
}

/** Does the work while no other process works under this name. */
export async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  let held = await claim(name);
  while (!held) {
    await delay(20);
    held = await claim(name);
  }
  return await work().finally(held.letGo);
}

/** Undefined if another process listens already. */
function listen(path: string): Promise<Server | undefined> {
  const server = createServer().unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ path }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
