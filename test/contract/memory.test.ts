import type { FacetName } from '../../src/engine/engine.ts';
import { allFacets } from '../../src/engine/memory/memory.ts';
import { createTestEngine } from '../support/memory-engine.ts';
import { createTestWorld } from '../support/test-world.ts';
import { engineContract } from './engine.ts';
import { command, entrypoint, program } from './program.ts';
import { contractEpoch } from './scene.ts';

memoryContract('memory', allFacets);
// As an engine of many hosts has none.
memoryContract('memory without facets', new Set());
for (const facet of allFacets) {
  memoryContract(`memory without ${facet}`, allFacets.difference(new Set([facet])));
}

function memoryContract(name: string, facets: ReadonlySet<FacetName>): void {
  engineContract(
    name,
    async () => {
      const world = createTestWorld({ 'contract:1': { entrypoint, command, program, readyAfter: 1 } });
      let held = 0;
      const engine = createTestEngine({ world, owner: 'one', epoch: () => contractEpoch, facets });
      return {
        engine,
        tamper: async (name, tampering) => engine.tamper(name, tampering),
        neighbour: createTestEngine({ world, owner: 'two', facets }),
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
        keepsEveryStart: true,
        dispose: async () => {},
      };
    },
    facets,
  );
}
