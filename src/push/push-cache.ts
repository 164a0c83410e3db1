/**
 * A record of what was pushed from a folder, so that the next push need not unpack and compress layers that the service
 * has. It is only a cache: the service is still queried, and without it everything is computed again.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceSharedFile } from '../lib/replace-file.ts';
import type { Descriptor } from './image-documents.ts';

export type PushCache = {
  /** Sent layers by the digest of their unpacked content. */
  layers: Map<string, Descriptor>;
  /** Manifest digests by the digest of the image's inputs. */
  images: Map<string, string>;
  /** The Docker ID of the last build, by the name of the image. */
  builds: Map<string, string>;
};

/** The latest ones; an image has a dozen. */
const maxLayers = 1_000;
const maxImages = 200;

const digestForm = /^sha256:[0-9a-f]{64}$/;

/** `folder`: for the command's own cache. An unreadable record counts as empty. */
export async function readPushCache(folder: string): Promise<PushCache> {
  const cache: PushCache = { layers: new Map(), images: new Map(), builds: new Map() };
  try {
    const { layers, images, builds } = JSON.parse(await readFile(join(folder, 'pushed.json'), 'utf8'));
    for (const [diffId, { mediaType, digest, size }] of layers as [string, Descriptor][]) {
      if (digestForm.test(digest) && Number.isSafeInteger(size))
        cache.layers.set(diffId, { mediaType: String(mediaType), digest, size });
    }
    for (const [key, digest] of images as [string, string][])
      if (digestForm.test(digest)) cache.images.set(key, digest);
    for (const [name, id] of (builds ?? []) as [string, string][]) if (digestForm.test(id)) cache.builds.set(name, id);
  } catch {
    // The values are computed again.
  }
  return cache;
}

/** The folder has to be there. */
export async function writePushCache(folder: string, { layers, images, builds }: PushCache): Promise<void> {
  const text = JSON.stringify({
    layers: [...layers].slice(-maxLayers),
    images: [...images].slice(-maxImages),
    builds: [...builds].slice(-maxImages),
  });
  await replaceSharedFile(join(folder, 'pushed.json'), text);
}
