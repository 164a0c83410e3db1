/**
 * Base images of builds, each unpacked once in a folder that builders mount read-only. A folder is complete when its list of
 * layers is written. A folder without the list is from a build that was interrupted.
 */
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { serializeByKey } from '../lib/concurrency.ts';
import { isDigest } from '../lib/digest.ts';
import { replaceFile } from '../lib/replace-file.ts';
import type { ExportedLayer } from '../push/docker/exported-image.ts';

/** A layer of a base image as the engine exports it. `diffId`: the digest of the plain tar. */
export type BaseLayer = Omit<ExportedLayer, 'file'> & { diffId: string };

/**
 * `id`: the digest of its configuration. `folder`: the folder that builders mount. `layers`: from the lowest to the
 * highest.
 */
export type BaseImage = { id: string; folder: string; layers: BaseLayer[] };

export type BaseImages = {
  /**
   * The unpacked image. `fill` unpacks it into the empty folder and returns its layers, unless an earlier build has done
   * that. The image stays until it is released.
   */
  provide(id: string, fill: (folder: string) => Promise<BaseLayer[]>): Promise<BaseImage>;
  release(image: Pick<BaseImage, 'id'>): void;
};

type Stored = { name: string; bytes: number; usedAt: number };

/** `place`: only one process at a time uses it. `maxBytes`: the maximum size of images that no build uses. */
export function createBaseImages(place: string, maxBytes: number): BaseImages {
  const uses = new Map<string, number>();
  const inTurn = serializeByKey();
  const listOf = (name: string) => join(place, name, 'layers.json');

  async function readList(name: string): Promise<BaseLayer[] | undefined> {
    const text = await readFile(listOf(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    return text === undefined ? undefined : (JSON.parse(text) as BaseLayer[]);
  }

  /** Removes the list before the rest. */
  async function remove(name: string): Promise<void> {
    await rm(listOf(name), { force: true });
    await rm(join(place, name), { recursive: true, force: true });
  }

  async function fillNew(name: string, fill: (folder: string) => Promise<BaseLayer[]>): Promise<BaseLayer[]> {
    await remove(name);
    const folder = join(place, name, 'image');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const layers = await fill(folder);
      await replaceFile(listOf(name), JSON.stringify(layers), { flush: true });
      return layers;
    } catch (error) {
      await remove(name);
      throw error;
    }
  }

  async function makeRoom(): Promise<void> {
    const stored: Stored[] = [];
    for (const name of await readdir(place)) {
      const layers = await readList(name);
      // Interrupted ones go first.
      const usedAt = layers ? (await stat(listOf(name))).mtimeMs : 0;
      stored.push({ name, usedAt, bytes: layers?.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? maxBytes });
    }
    for (const name of imagesToEvict(stored, maxBytes))
      await inTurn(name, async () => {
        if (!uses.has(name)) await remove(name);
      });
  }

  return {
    async provide(id, fill) {
      if (!isDigest(id)) throw new Error(`not the id of an image: ${id}`);
      const name = id.slice('sha256:'.length);
      const image = await inTurn(name, async () => {
        const known = await readList(name);
        const layers = known ?? (await fillNew(name, fill));
        const now = new Date();
        await utimes(listOf(name), now, now);
        uses.set(name, (uses.get(name) ?? 0) + 1);
        return { isNew: !known, id, folder: join(place, name, 'image'), layers };
      });
      if (image.isNew) await makeRoom();
      return image;
    },
    release({ id }) {
      const name = id.slice('sha256:'.length);
      const left = (uses.get(name) ?? 0) - 1;
      if (left > 0) uses.set(name, left);
      else uses.delete(name);
    },
  };
}

/** PURE. The names of images to remove so that the others fit into `maxBytes`, the least recently used first. */
export function imagesToEvict(stored: readonly Stored[], maxBytes: number): string[] {
  let excess = stored.reduce((sum, { bytes }) => sum + bytes, 0) - maxBytes;
  const evicted: string[] = [];
  for (const { name, bytes } of stored.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (excess <= 0) break;
    evicted.push(name);
    excess -= bytes;
  }
  return evicted;
}
