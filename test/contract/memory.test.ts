import { createMemoryEngine } from '../../src/engine/memory.ts';
import { createMemoryWorld } from '../../src/engine/memory-world.ts';
import { engineContract } from './engine.ts';
import { command, entrypoint, program } from './program.ts';

engineContract('memory', async () => {
  const world = createMemoryWorld({ 'contract:1': { entrypoint, command, program, readyAfter: 1 } });
  let held = 0;
  return {
    engine: createMemoryEngine({ world, owner: 'one' }),
    neighbour: createMemoryEngine({ world, owner: 'two' }),
    image: 'contract:1',
    async heldImage() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const image = `held:${++held}`;
      world.images.set(image, { isOnHost: false, held: promise });
      return { image, letGo: resolve };
    },
    hasRealAddresses: false,
    limitsVolumes: true,
    isTmpInMemory: false,
    dispose: async () => {},
  };
});
