/** Makes one image of a source: builds it, or puts folders of the source onto a known image. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, facetOf, type ExportedImage as HostImage } from '../engine/engine.ts';
import { baseImagesOf } from '../folder/dockerfile.ts';
import type { Build, ImageToMake } from '../folder/project.ts';
import { type ExportedImage, readSavedImage } from '../push/docker/exported-image.ts';
import { withLayers } from '../push/image-documents.ts';
import { readBuildContext } from '../push/layers/build-context.ts';
import { listLayer } from '../push/layers/folder-layer.ts';
import { writeLayers } from '../push/prepare-layers.ts';
import { BuildFault } from './build-fault.ts';
import type { Builder } from './builder.ts';

export type Making = {
  deploymentId: string;
  /** Where the files of the image are until they are stored. */
  folder: string;
  engine: Engine;
  /** Starts the builder when the first image needs it. */
  builder: () => Promise<Builder>;
  onOutput: (text: string) => void;
  stop: AbortSignal;
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
        ? await buildWith(making, image.base.build, scratch)
        : await readSavedImage(await (await hostImage(making, image.base.image)).open(), scratch);
    const listed = await Promise.all(image.layers.map(listLayer));
    const { files, added } = await writeLayers(scratch, { exported: lower, layers: image.layers, listed });
    const upper = files.map((file) => ({ ...file, compression: 'none' as const }));
    return await take({ config: withLayers(lower.config, added), layers: [...lower.layers, ...upper] });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function buildWith(making: Making, build: Build, scratch: string): Promise<ExportedImage> {
  refuseUnsupported(build);
  const builder = await making.builder();
  const context = await readBuildContext(build);
  const text = build.inline ?? (await readFile(build.dockerfile ?? join(build.context, 'Dockerfile'), 'utf8'));
  for (const base of baseImagesOf(text, build.args)) await provideBase(making, builder, base);
  const tag = 'built:1';
  await builder.build({ tag, build, dockerfile: context.dockerfile, context: context.open() }, making.onOutput);
  return await builder.save(tag, (saved) => readSavedImage(saved, scratch));
}

/** Base images pass the same checks and limits as images of pods. */
async function provideBase(making: Making, builder: Builder, image: string): Promise<void> {
  const host = await hostImage(making, image);
  if ((await builder.idOf(image)) === host.id) return;
  making.onOutput(`Loading the base image ${image}\n`);
  await builder.load(image, await host.open());
}

async function hostImage({ engine, deploymentId, stop }: Making, image: string): Promise<HostImage> {
  const images = facetOf(engine, 'images');
  await images.pull(deploymentId, { image }, { signal: stop });
  const found = await images.export(image);
  if (!found)
    throw new BuildFault(`The base image ${image} is gone from the host.`, { hint: 'Start the build again.' });
  return found;
}

/** What only a build on the developer's machine can do. */
function refuseUnsupported({ isRemote, context, additionalContexts, ssh }: Build): void {
  const hint = 'Build and push it with berth up and a local Docker.';
  if (isRemote) throw new BuildFault(`The build context ${context} is not in the source.`, { hint });
  if (Object.keys(additionalContexts).length > 0)
    throw new BuildFault('additional_contexts are not supported in builds on the server.', { hint });
  if (ssh.length > 0) throw new BuildFault('SSH mounts are not supported in builds on the server.', { hint });
}
