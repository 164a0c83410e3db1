/**
 * Loopback addresses for the endpoints of one process. Without separate blocks, two in-memory services on one machine
 * would have the same addresses, and one of them would lose its endpoints.
 */
import { createServer } from 'node:net';
import { StartError } from '../../lib/start-error.ts';

/** Second numbers of 127.0.0.0/8: a block has room for 2,048 networks. Programs of the host use the first ones. */
const blocks = Array.from({ length: 29 }, (_, index) => 16 + 8 * index);

/** The process that listens here at a block's first address owns the block. Above the kernel's ephemeral ports. */
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
