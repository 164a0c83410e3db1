/** The in-memory engine's machine as tests have it: its registries refuse and stall as each image says. */
import { EngineFault, type FaultKind } from '../../src/engine/engine.ts';
import { imageOf } from '../../src/engine/memory/images.ts';
import { createMemoryWorld, type MemoryImage, type MemoryWorld } from '../../src/engine/memory/world.ts';

export type TestImage = MemoryImage & {
  /** The fault of a pull of it, or of a look at its registry. */
  pullFault?: FaultKind;
  /** A pull of it does not end before this does. */
  held?: Promise<void>;
};

export type TestWorld = Omit<MemoryWorld, 'images'> & { images: Map<string, TestImage> };

export function createTestWorld(images: Record<string, TestImage>): TestWorld {
  const found = (name: string): TestImage | undefined => imageOf(world, name);
  const world: TestWorld = createMemoryWorld(images, {
    registries: {
      check(name) {
        const fault = found(name)?.pullFault;
        if (fault) throw new EngineFault(fault, `Image ${name}: ${fault}.`, { image: name });
      },
      send: async (name) => await found(name)?.held,
    },
  });
  return world;
}
