/** Opens an engine on which nothing runs: for demonstrations, and for tests of the dashboard and of clients. */
import { cpus, totalmem } from 'node:os';
import type { EngineParts, OpenEngine } from '../opening.ts';
import { startEchoes } from './echoes.ts';
import { createMemoryEngine } from './memory.ts';
import { createMemoryWorld } from './world.ts';

/** With this process all of its workloads are forgotten, and made again by the next one. */
export async function openMemory(_: unknown, { owner, now, log }: EngineParts): Promise<OpenEngine> {
  log.warn({}, 'BERTH_ENGINE is memory: nothing really runs, every public pod answers with what it was asked');
  const world = createMemoryWorld({}, { network: 'loopback', hasEveryImage: true });
  world.capacity = { memoryBytes: totalmem(), cpuMillis: cpus().length * 1000 };
  const echoes = startEchoes(world, log.child({ part: 'echoes' }));
  return {
    engine: createMemoryEngine({ world, owner, now, facets: new Set(['addresses']) }),
    [Symbol.asyncDispose]: () => echoes.close(),
  };
}
