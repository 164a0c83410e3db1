/** Starts the builder of a revision: its base images are brought and unpacked first, because the container mounts them. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Build, buildVolume } from '../deployment/build/build.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { facetOf } from '../engine/engine.ts';
import type { ImageToMake } from '../folder/project.ts';
import type { ExportedImage } from '../push/docker/exported-image.ts';
import type { BuildParts } from './build-parts.ts';
import { type BuildRequest, buildIn, cacheOf, unpackIn } from './builder.ts';
import { builderWorkload, buildWorkloadNames, unpackerWorkload, unpackFolder } from './builder-workload.ts';
import { basesOf, fetchBase } from './fetch-base.ts';
import { type ProvidedBase, provideBase } from './provide-base.ts';
import { readBuiltImage } from './read-built-image.ts';

export type Revising = {
  build: Build;
  deployment: Deployment;
  images: readonly ImageToMake[];
  /** Called before any work on the image, possibly twice. */
  onImage: (image: ImageToMake) => void;
  onOutput: (text: string) => void;
  /** Ends the build. */
  stop: AbortSignal;
  /** The remaining time for the whole build, in milliseconds. */
  leftMs: () => number;
};

/** Disposing of it removes the container. The volume stays for the next build of the deployment. */
export type RevisionBuilder = AsyncDisposable & {
  /** New layers become files in `folder`. Throws BuildFault. */
  build(image: ImageToMake, request: Omit<BuildRequest, 'bases' | 'caches'>, folder: string): Promise<ExportedImage>;
};

const because = 'build';

export type BuilderNeeds = Pick<
  BuildParts,
  'db' | 'engine' | 'images' | 'bases' | 'limits' | 'volumeBytes' | 'proxy' | 'egressOf' | 'runtimeOf' | 'now'
> & { sources: Pick<BuildParts['sources'], 'place'> };

/** Starts nothing if no image needs a builder. Throws BuildFault and EngineFault. */
export async function startBuilder(parts: BuilderNeeds, revising: Revising): Promise<RevisionBuilder> {
  const { engine, limits, volumeBytes } = parts;
  const { build, deployment, images, onImage, onOutput, stop, leftMs } = revising;
  const { deploymentId, revision } = build;
  const runtime = await parts.runtimeOf(deployment);
  const provided = new Map<string, ProvidedBase>();
  const named = new Map<ImageToMake, Map<string, ProvidedBase>>();
  await using opening = new AsyncDisposableStack();
  opening.defer(() => removeBuilder(parts, build));
  opening.defer(() => {
    for (const base of provided.values()) parts.bases.release(base);
  });

  async function unpack(folder: string, archive: string): Promise<void> {
    const workload = unpackerWorkload(deploymentId, revision, { limits, runtime, folder });
    await engine.execute(deploymentId, { kind: 'start', workload, because });
    const unpacker = { exec: facetOf(engine, 'exec'), workload: workload.name, stop, leftMs };
    await unpackIn(unpacker, unpackFolder, createReadStream(archive, { highWaterMark: 2 ** 20 }));
    await engine.execute(deploymentId, { kind: 'remove', name: workload.name, because });
  }

  async function provide(image: string): Promise<ProvidedBase> {
    const host = await fetchBase(parts, { deploymentId, image, stop });
    const known = [...provided.values()].find(({ id }) => id === host.id);
    if (known) return known;
    const base = await provideBase(parts, host, { folder: join(parts.sources.place, build.source), unpack });
    provided.set(image, base);
    return base;
  }

  for (const image of images) {
    if (image.base.kind !== 'build') continue;
    onImage(image);
    const bases = await basesOf(image.base.build);
    if (named.size === 0) {
      const egress = await parts.egressOf(deployment);
      await Promise.all([
        engine.execute(deploymentId, { kind: 'create-network', egress, because }),
        engine.execute(deploymentId, { kind: 'create-volume', volume: buildVolume, sizeBytes: volumeBytes, because }),
      ]);
    }
    const names = new Map<string, ProvidedBase>();
    for (const { written, image: name } of bases) names.set(written, provided.get(name) ?? (await provide(name)));
    named.set(image, names);
  }
  const folders = [...provided.values()].map(({ folder }) => folder);
  const workload = builderWorkload(deploymentId, revision, { limits, runtime, proxy: parts.proxy, bases: folders });
  if (named.size > 0) await engine.execute(deploymentId, { kind: 'start', workload, because });
  const caches = images.flatMap(({ base }) => (base.kind === 'build' ? [cacheOf(base.build)] : []));
  const open = opening.move();
  return {
    async build(image, request, folder) {
      const bases = named.get(image)!;
      const layer = async (diffId: string) => {
        for (const base of bases.values()) {
          const found = await base.layer(diffId);
          if (found) return found;
        }
        return undefined;
      };
      const builder = { exec: facetOf(engine, 'exec'), workload: workload.name, stop, leftMs };
      const read = (built: Parameters<typeof readBuiltImage>[0]) => readBuiltImage(built, folder, layer);
      return await buildIn(builder, { ...request, bases, caches }, { onOutput, read });
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Also removes leftovers of an interrupted build of the revision. */
export async function removeBuilder({ engine }: Pick<BuildParts, 'engine'>, { deploymentId, revision }: Build) {
  for (const name of buildWorkloadNames(deploymentId, revision))
    await engine.execute(deploymentId, { kind: 'remove', name, because });
}

/** The next build of the deployment begins with an empty cache. */
export async function removeBuildCache({ engine }: Pick<BuildParts, 'engine'>, { deploymentId }: Build): Promise<void> {
  await engine.execute(deploymentId, { kind: 'remove-volume', volume: buildVolume, because });
}
