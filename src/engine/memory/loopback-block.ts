/**
 * Addresses of this machine for what one process answers at. Two services in memory on one machine would else have the
 * same ones, and the one that begins later, or stays longer, would have nobody at its addresses.
 */
import { createServer } from 'node:net';
import { StartError } from '../../lib/start-error.ts';

/** Second numbers of 127.0.0.0/8: a block has room for 2,048 networks. Programs of the host use the first ones. */
const blocks = Array.from({ length: 29 }, (_, index) => 16 + 8 * index);

/** Whoever listens here at a block's first address has the block; above the ports that the kernel gives out. */
const claimPort = 61_000;

/** `firstNetwork`: the first two numbers of its addresses. Closing it, or the end of the process, gives it back. */
export type LoopbackBlock = AsyncDisposable & { firstNetwork: readonly [number, number] };

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
    `No addresses are left for what is in memory: ${blocks.length} services have them, or something listens at port ${claimPort}.`,
  );
}
