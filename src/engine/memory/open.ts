/** Opens an engine on which nothing runs: for demonstrations, and for tests of the dashboard and of clients. */
import { cpus, totalmem } from 'node:os';
import type { EngineParts, OpenEngine } from '../opening.ts';
import { startEchoes } from './echoes.ts';
import { claimLoopbackBlock } from './loopback-block.ts';
import { createMemoryEngine } from './memory.ts';
import { createMemoryWorld } from './world.ts';

/** With this process all of its workloads are forgotten, and made again by the next one. */
export async function openMemory(_: unknown, { owner, epoch, now, log }: EngineParts): Promise<OpenEngine> {
  log.warn({}, 'BERTH_ENGINE is memory: no container runs, and every public pod returns the request it received');
  await using opening = new AsyncDisposableStack();
  const { firstNetwork } = opening.use(await claimLoopbackBlock());
  const world = createMemoryWorld({}, { firstNetwork, hasEveryImage: true });
  world.capacity = { memoryBytes: totalmem(), cpuMillis: cpus().length * 1000 };
  opening.adopt(startEchoes(world, log.child({ part: 'echoes' })), (echoes) => echoes.close());
  const open = opening.move();
  return {
    engine: createMemoryEngine({ world, owner, epoch, now, facets: new Set(['addresses', 'usage', 'exec']) }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
