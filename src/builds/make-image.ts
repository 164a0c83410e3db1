/** Creates one image of a source: builds it, or adds folders of the source to a known image. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Build, ImageToMake } from '../folder/project.ts';
import { type ExportedImage, readSavedImage } from '../push/docker/exported-image.ts';
import { withLayers } from '../push/image-documents.ts';
import { readBuildContext } from '../push/layers/build-context.ts';
import { listLayer } from '../push/layers/folder-layer.ts';
import { writeLayers } from '../push/prepare-layers.ts';
import type { RevisionBuilder } from './start-builder.ts';

export type Making = {
  /** The folder for the files of the image until they are stored. */
  folder: string;
  /** A known image as a tar in the format of `docker save`. */
  openImage: (image: string) => Promise<Readable>;
  builder: RevisionBuilder;
};

/** Calls `take` with the image. Its layers are files that are removed afterwards. Throws BuildFault and EngineFault. */
export async function makeImage<T>(
  making: Making,
  image: ImageToMake,
  take: (made: ExportedImage) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(making.folder, 'image-'));
  try {
    const lower =
      image.base.kind === 'build'
        ? await buildWith(making, image, image.base.build, scratch)
        : await readSavedImage(await making.openImage(image.base.image), scratch);
    const listed = await Promise.all(image.layers.map(listLayer));
    const { files, added } = await writeLayers(scratch, { exported: lower, layers: image.layers, listed });
    const upper = files.map((file) => ({ ...file, compression: 'none' as const }));
    return await take({ config: withLayers(lower.config, added), layers: [...lower.layers, ...upper] });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function buildWith(
  { builder }: Making,
  image: ImageToMake,
  build: Build,
  scratch: string,
): Promise<ExportedImage> {
  const { dockerfile, sent } = await readBuildContext(build);
  return await builder.build(image, { build, dockerfile, context: sent }, scratch);
}
