/** Starts the builder of a revision: its base images are brought and unpacked first, because the container mounts them. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Build, buildVolume } from '../deployment/build/build.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Workload } from '../deployment/workload/workload.ts';
import { type Engine, facetOf } from '../engine/engine.ts';
import type { ImageToMake } from '../folder/project.ts';
import type { ExportedImage } from '../push/docker/exported-image.ts';
import { BuildFault } from './build-fault.ts';
import type { BuildParts } from './build-parts.ts';
import { type BuildRequest, buildIn, cacheOf, unpackAllIn, unpackIn } from './builder.ts';
import {
  builderWorkload,
  buildWorkloadNames,
  isBuilderPod,
  keepsVolume,
  mountsOf,
  unpackedFolder,
  unpackerWorkload,
  unpackFolder,
} from './builder-workload.ts';
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
  build(
    image: ImageToMake,
    request: Omit<BuildRequest, 'bases' | 'stores' | 'caches'>,
    folder: string,
  ): Promise<ExportedImage>;
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
  const isInGvisor = runtime === 'runsc';
  const exec = engine.exec ?? facetOf(engine, 'builderExec');
  if (isInGvisor && !engine.images) throw noGvisor();
  // A pod of a cluster cannot mount folders of this machine, and buildah in gVisor cannot use them.
  const mountsFolders = engine.images !== undefined && !isInGvisor;
  const provided = new Map<string, ProvidedBase>();
  const named = new Map<ImageToMake, Map<string, ProvidedBase>>();
  await using opening = new AsyncDisposableStack();
  opening.defer(() => removeBuilder(parts, build));
  opening.defer(() => {
    for (const { id, folder } of provided.values()) if (folder !== undefined) parts.bases.release({ id });
  });

  async function unpack(folder: string, archive: string): Promise<void> {
    const workload = unpackerWorkload(deploymentId, revision, { limits, runtime, folder });
    await startAlone(engine, deploymentId, workload, stop);
    const unpacker = { exec, workload: workload.name, isInGvisor, stop, leftMs };
    await unpackIn(unpacker, unpackFolder, createReadStream(archive, { highWaterMark: 2 ** 20 }));
    await engine.execute(deploymentId, { kind: 'remove', name: workload.name, because });
  }

  async function provide(image: string): Promise<ProvidedBase> {
    const host = await fetchBase(parts, { deploymentId, image, stop });
    const known = [...provided.values()].find(({ id }) => id === host.id);
    if (known) return known;
    const base = await provideBase(parts, host, {
      folder: join(parts.sources.place, build.source),
      ...(mountsFolders && { unpack }),
    });
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
        keepsVolume(runtime) &&
          engine.execute(deploymentId, { kind: 'create-volume', volume: buildVolume, sizeBytes: volumeBytes, because }),
      ]);
    }
    const names = new Map<string, ProvidedBase>();
    for (const { written, image: name } of bases) names.set(written, provided.get(name) ?? (await provide(name)));
    named.set(image, names);
  }
  const folders = [...provided.values()].flatMap(({ folder }) => folder ?? []);
  const workload = builderWorkload(deploymentId, revision, { limits, runtime, proxy: parts.proxy, bases: folders });
  const builder = { exec, workload: workload.name, isInGvisor, stop, leftMs };
  let stores = mountsOf(folders);
  if (named.size > 0) {
    await startAlone(engine, deploymentId, workload, stop);
    if (!mountsFolders) stores = await unpackAllIn(builder, unpackedFolder, [...provided.values()]);
  }
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
      const read = (built: Parameters<typeof readBuiltImage>[0]) => readBuiltImage(built, folder, layer);
      return await buildIn(builder, { ...request, bases, stores, caches }, { onOutput, read });
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** The Pod Security baseline refuses the capabilities that builders need in gVisor. */
function noGvisor(): BuildFault {
  const hint = 'Build and push them with berth up and a local Docker.';
  return new BuildFault('Images cannot be built in gVisor on Kubernetes.', { hint });
}

/**
 * Starts the builder as the only one of its deployment: builders share an address and a volume. The builder of an earlier
 * revision may be left from another control plane, which was killed or has not noticed the update yet.
 */
async function startAlone(engine: Engine, deploymentId: string, workload: Workload, stop: AbortSignal): Promise<void> {
  for (;;) {
    await removeEarlierBuilders(engine, deploymentId, workload);
    stop.throwIfAborted();
    try {
      return await engine.execute(deploymentId, { kind: 'start', workload, because });
    } catch (error) {
      // It may have started in between.
      if (!(await removeEarlierBuilders(engine, deploymentId, workload))) throw error;
    }
  }
}

/** Returns whether there was one. */
async function removeEarlierBuilders(engine: Engine, deploymentId: string, { revision }: Workload): Promise<boolean> {
  const { workloads } = await engine.observe(deploymentId, []);
  const earlier = workloads.filter((each) => isBuilderPod(each.pod) && each.revision < revision);
  for (const { name } of earlier) await engine.execute(deploymentId, { kind: 'remove', name, because });
  return earlier.length > 0;
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
