/** Opens an engine on which nothing runs: for demonstrations, and for tests of the dashboard and of clients. */

import { createServer } from 'node:net';
import { cpus, totalmem } from 'node:os';
import { StartError } from '../../lib/start-error.ts';
import type { EngineParts, OpenEngine } from '../opening.ts';
import { startEchoServers } from './echo-servers.ts';
import { createMemoryEngine } from './memory.ts';
import { createMemoryWorld } from './world.ts';

/** All workloads end with this process. The next process creates them again. */
export async function openMemory(_: unknown, { owner, epoch, now, log }: EngineParts): Promise<OpenEngine> {
  log.warn({}, 'BERTH_ENGINE is memory: no container runs, and every public pod returns the request it received');
  await using opening = new AsyncDisposableStack();
  const { firstNetwork } = opening.use(await claimLoopbackBlock());
  const world = createMemoryWorld({}, { firstNetwork, hasEveryImage: true });
  world.capacity = { memoryBytes: totalmem(), cpuMillis: cpus().length * 1000 };
  opening.adopt(startEchoServers(world, log.child({ part: 'echoes' })), (echoes) => echoes.close());
  const open = opening.move();
  return {
    engine: createMemoryEngine({ world, owner, epoch, now, facets: new Set(['addresses', 'usage', 'exec']) }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * Loopback addresses for the endpoints of one process. Without separate blocks, two in-memory services on one machine
 * would have the same addresses, and one of them would lose its endpoints.
 */

/** Second numbers of 127.0.0.0/8: a block has room for 2,048 networks. Programs of the host use the first ones. */
const blocks = Array.from({ length: 29 }, (_, index) => 16 + 8 * index);

/** The process that listens here at a block's first address owns the block. Above the kernel's ephemeral ports. */
const claimPort = 61_000;

/** `firstNetwork`: the first two numbers of its addresses. Closing it, or the end of the process, gives it back. */
type LoopbackBlock = AsyncDisposable & { firstNetwork: readonly [number, number] };

/** Throws StartError when none is free. */
export async function claimLoopbackBlock(): Promise<LoopbackBlock> {
  for (const second of blocks) {
    const server = createServer((socket) => socket.destroy());
    const isOurs = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(claimPort, `127.${second}.0.1`, () => resolve(true));
    });
    if (!isOurs) continue;
    server.unref();
    const close = () => new Promise<void>((closed) => server.close(() => closed()));
    return { firstNetwork: [127, second], [Symbol.asyncDispose]: close };
  }
  throw new StartError(
    `No addresses are left for the in-memory engine: ${blocks.length} services have them, or something listens at port ${claimPort}.`,
  );
}
