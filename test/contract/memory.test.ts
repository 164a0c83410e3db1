import { createMemoryEngine } from '../../src/engine/memory.ts';
import { createMemoryWorld } from '../../src/engine/memory-world.ts';
import { engineContract } from './engine.ts';
import { command, entrypoint, program } from './program.ts';

engineContract('memory', async () => {
  const world = createMemoryWorld({ 'contract:1': { entrypoint, command, program, readyAfter: 1 } });
  return {
    engine: createMemoryEngine({ world, owner: 'one' }),
    neighbour: createMemoryEngine({ world, owner: 'two' }),
    image: 'contract:1',
    hasRealAddresses: false,
    limitsVolumes: true,
    dispose: async () => {},
  };
});
