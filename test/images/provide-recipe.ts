/** Images of tests alone, made as the set-up makes those of the examples. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { build, type Recipe } from '../../scripts/setup/images/build.ts';
import { alone } from '../claim.ts';

/** The reference of the image, which is built when it is not there. */
export async function provideRecipe(docker: Docker, recipe: Recipe): Promise<string> {
  const { image } = recipe;
  await alone(`image ${image}`, async () => {
    const there = await docker.listImages({ filters: { reference: [image] } });
    if (there.length > 0) return;
    const folder = await mkdtemp(join(tmpdir(), 'berth-image-'));
    try {
      await build(recipe, docker, join(folder, 'build'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  return image;
}
