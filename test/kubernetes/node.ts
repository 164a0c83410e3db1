/** The node of the tests: what is done to it directly, as whoever has put images on it would. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { ctr as ctrOf } from '../../scripts/testing/kube-node.ts';
import { alone } from '../claim.ts';

/** Where the node keeps everything. */
export const nodeFolder = process.env.K8S_DIR ?? join(homedir(), '.cache/kube-node');

const ctr = (...words: string[]) => ctrOf(nodeFolder, ...words);

/** Puts images of a Docker engine on the node, under their own names. */
export async function importImages(docker: Docker, images: readonly string[]): Promise<void> {
  // Of two that import one image the second fails.
  await alone('images of the test node', () => importMissing(docker, images));
}

async function importMissing(docker: Docker, images: readonly string[]): Promise<void> {
  const present = (await ctr('images', 'list', '--quiet')).split('\n');
  const missing = images.filter((image) => !present.includes(fullName(image)));
  if (missing.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), 'berth-node-'));
  try {
    for (const [index, image] of missing.entries()) {
      const file = join(folder, `${index}.tar`);
      await pipeline(await docker.getImage(image).get(), createWriteStream(file));
      await ctr('images', 'import', file);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Gives an image of the node a further name. */
export async function tagImage(image: string, name: string): Promise<void> {
  await ctr('images', 'tag', fullName(image), fullName(name));
}

export async function untagImage(name: string): Promise<void> {
  await ctr('images', 'remove', fullName(name));
}

/** By its full name. What runs from it goes on. */
export async function removeFromNode(image: string): Promise<void> {
  await ctr('images', 'remove', '--sync', image);
}

function fullName(image: string): string {
  return `docker.io/library/${image}`;
}
