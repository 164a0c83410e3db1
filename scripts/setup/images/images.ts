/** The images of the examples and of the builder: existing ones, those of the registry, or ones built here. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { type Announce, SetUpError } from '../announce.ts';
import { updatePackageLists } from '../apt.ts';
import type { Host } from '../host.ts';
import { build, obstacleTo, type Recipe } from './build.ts';
import { builder } from './builder/recipe.ts';
import { nginx } from './nginx/recipe.ts';
import { node } from './node/recipe.ts';
import { postgres } from './postgres/recipe.ts';
import { redis } from './redis/recipe.ts';

const registryTimeoutMs = 3_000;

/** Built under the very names that documents use, so that one document works with a registry and without. */
export const recipes: readonly Recipe[] = [node, postgres, redis, nginx, builder];

/** Makes sure that the engine has all images of the examples. Throws `SetUpError` if an image is not available. */
export async function provideImages(host: Host, announce: Announce, docker = new Docker()): Promise<void> {
  const missing = await missingFrom(docker, recipes);
  if (missing.length === 0) return;
  const own = missing.filter(({ isOwn }) => isOwn);
  const published = missing.filter(({ isOwn }) => !isOwn);
  const toBuild = [...own, ...((await canPull(docker)) ? await pullAll(docker, published, announce) : published)];
  if (toBuild.length === 0) return;
  const updateLists = () => announce('Updating the package lists', () => updatePackageLists(host));
  const folder = await mkdtemp(join(tmpdir(), 'berth-images-'));
  try {
    for (const recipe of toBuild) {
      const obstacle = await obstacleTo(recipe, host, updateLists);
      if (obstacle) throw new SetUpError(neitherWay(recipe, obstacle));
      await announce(`Building ${recipe.image} from ${recipe.from} (about ${recipe.seconds} s)`, () =>
        build(recipe, docker, join(folder, recipe.image.replace(':', '-'))),
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function missingFrom(docker: Docker, wanted: readonly Recipe[]): Promise<Recipe[]> {
  const isThere = await Promise.all(wanted.map(({ image }) => hasImage(docker, image)));
  return wanted.filter((_, index) => !isThere[index]);
}

async function hasImage(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect();
    return true;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return false;
    throw error;
  }
}

/** A mirror may respond if the registry itself is unreachable. */
async function canPull(docker: Docker): Promise<boolean> {
  const { RegistryConfig } = await docker.info();
  if ((RegistryConfig?.Mirrors ?? []).length > 0) return true;
  // Without credentials, the response is 401. Any response proves that the registry is reachable.
  return fetch('https://registry-1.docker.io/v2/', { signal: AbortSignal.timeout(registryTimeoutMs) }).then(
    () => true,
    () => false,
  );
}

/** Returns the recipes whose pull failed. A registry's rate limit must not end the set-up. */
async function pullAll(docker: Docker, images: readonly Recipe[], announce: Announce): Promise<Recipe[]> {
  const failed: Recipe[] = [];
  for (const recipe of images) {
    await announce(`Pulling ${recipe.image}`, () => pull(docker, recipe.image)).catch((error: Error) => {
      process.stderr.write(`${error.message}\n`);
      failed.push(recipe);
    });
  }
  return failed;
}

async function pull(docker: Docker, name: string): Promise<void> {
  const progress = await docker.pull(name);
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
  });
}

function neitherWay(recipe: Recipe, obstacle: string): string {
  return (
    `The image ${recipe.image} could not be pulled (no registry can be reached, or it refused), ` +
    `nor can it be built here: ${obstacle} ` +
    'Give the Docker engine access to a registry, or load the image with `docker load`, and repeat the command.'
  );
}
