/** Unpacks a base image for the builder, and knows its layers. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportedImage as HostImage } from '../engine/engine.ts';
import { isDigest } from '../lib/digest.ts';
import { type ExportedImage, type ExportedLayer, readSavedImage } from '../push/docker/exported-image.ts';
import { diffIdsOf } from '../push/image-documents.ts';
import type { BaseImage } from './base-images.ts';
import type { BuildParts } from './build-parts.ts';

/** A base image of one build. */
/** `folder`: absent if builders mount no folders. */
export type ProvidedBase = Omit<BaseImage, 'folder'> & {
  folder?: string;
  /** A layer, by the digest of its plain tar, as a file that is there during the build. */
  layer(diffId: string): Promise<ExportedLayer | undefined>;
  /** A tar in the format of `docker save`, as a file that is there during the build; only if builders mount no folders. */
  archive: string | undefined;
};

/**
 * Provides the image. `unpack`: unpacks a tar in the format of `docker save` into a folder; absent if builders mount no
 * folders. `folder`: for files of the build.
 */
export async function provideBase(
  { bases, images }: Pick<BuildParts, 'bases' | 'images'>,
  host: HostImage,
  { folder, unpack }: { folder: string; unpack?: ((into: string, archive: string) => Promise<void>) | undefined },
): Promise<ProvidedBase> {
  let exported: ExportedImage | undefined;
  let kept: string | undefined;
  const exportOnce = async (use: (archive: string) => Promise<void> = async () => {}) => {
    const scratch = await mkdtemp(join(folder, 'base-'));
    const archive = join(scratch, 'archive');
    await pipeline(await host.open(), createWriteStream(archive, { mode: 0o600 }));
    [exported] = await Promise.all([readSavedImage(createReadStream(archive), scratch), use(archive)]);
    if (unpack) await rm(archive);
    else kept = archive;
    return exported;
  };
  const exportLayers = async (use?: (archive: string) => Promise<void>) => {
    const { config, layers } = await exportOnce(use);
    const diffIds = diffIdsOf(config);
    return layers.map(({ file: _, ...layer }, at) => ({ ...layer, diffId: diffIds[at]! }));
  };
  const base = unpack
    ? await bases.provide(host.id, (into) => exportLayers((archive) => unpack(into, archive)))
    : { id: host.id, layers: await exportLayers() };
  return {
    ...base,
    async layer(diffId) {
      const at = base.layers.findIndex((layer) => layer.diffId === diffId);
      const found = base.layers[at];
      if (!found || !isDigest(found.digest)) return undefined;
      const { diffId: _, ...layer } = found;
      // Most base layers are already in the store of pushed images, as layers of earlier builds.
      if ((await images.folder.sizeOf(found.digest)) !== undefined)
        return { ...layer, file: images.folder.pathOf(found.digest) };
      return (exported ?? (await exportOnce())).layers[at];
    },
    archive: kept,
  };
}
