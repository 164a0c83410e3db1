/** One build: every image of a revision is made and stored, and the revision then runs from exactly these. */
import { join } from 'node:path';
import { repositoryOf } from '../config/values/image-names.ts';
import { pushedReference, readPushedName } from '../config/values/pushed-image.ts';
import type { Build } from '../deployment/build/build.ts';
import { buildVolume } from '../deployment/build/build-volume.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { facetOf } from '../engine/engine.ts';
import type { ImageToMake } from '../folder/project.ts';
import { namespaceOf } from '../images/pushed/repository-names.ts';
import { grantAccess, markPrivate } from '../store/image-access.ts';
import type { Namespace } from '../store/image-namespaces.ts';
import { clientOf } from '../store/origins.ts';
import { settleImage } from '../store/revisions.ts';
import { write } from '../store/transaction.ts';
import type { BuildParts } from './build-parts.ts';
import { type Builder, createBuilder } from './builder.ts';
import { builderWorkload } from './builder-workload.ts';
import { makeImage } from './make-image.ts';
import { storeImage } from './store-image.ts';

export type Revising = {
  build: Build;
  deployment: Deployment;
  images: readonly ImageToMake[];
  onImage: (image: ImageToMake) => Promise<void>;
  onImageDone: (image: ImageToMake, ms: number) => Promise<void>;
  onOutput: (text: string) => void;
  /** Ends the build. */
  stop: AbortSignal;
};

const because = 'build';

/** Throws BuildFault, PushFault and EngineFault for what has gone wrong with an image, and the reason of `stop`. */
export async function buildRevision(parts: BuildParts, revising: Revising): Promise<void> {
  const { build, deployment, images, onOutput, stop } = revising;
  const endsAt = performance.now() + parts.withinMs;
  const late = AbortSignal.timeout(parts.withinMs);
  const over = AbortSignal.any([stop, late]);
  let builder: Promise<Builder> | undefined;
  const providing = () => {
    builder ??= startBuilder(parts, { build, deployment, stop: over, leftMs: () => endsAt - performance.now() });
    return builder;
  };
  try {
    for (const image of images) {
      await revising.onImage(image);
      const begunAt = performance.now();
      const making = {
        deploymentId: deployment.id,
        folder: join(parts.sources.place, build.source),
        engine: parts.engine,
        builder: providing,
        onOutput,
        stop: over,
      };
      await makeImage(making, image, async (made) => {
        over.throwIfAborted();
        await settle(parts, revising, image, made);
      });
      await revising.onImageDone(image, performance.now() - begunAt);
    }
  } finally {
    if (builder) await removeBuilder(parts, build);
  }
}

type Starting = Pick<Revising, 'build' | 'deployment' | 'stop'> & { leftMs: () => number };

async function startBuilder(parts: BuildParts, { build, deployment, stop, leftMs }: Starting): Promise<Builder> {
  const { engine, limits, volumeBytes } = parts;
  const { deploymentId } = build;
  const egress = await parts.egressOf(deployment);
  const runtime = await parts.runtimeOf(deployment);
  const workload = builderWorkload(deploymentId, build.revision, { limits, runtime });
  await engine.execute(deploymentId, { kind: 'create-network', egress, because });
  await engine.execute(deploymentId, { kind: 'create-volume', volume: buildVolume, sizeBytes: volumeBytes, because });
  await engine.execute(deploymentId, { kind: 'start', workload, because });
  return createBuilder({ exec: facetOf(engine, 'exec'), workload: workload.name, stop, leftMs });
}

/** The volume stays for the next build of the deployment, and goes with the deployment. */
export async function removeBuilder({ engine }: Pick<BuildParts, 'engine'>, build: Build): Promise<void> {
  const { name } = builderWorkload(build.deploymentId, build.revision, { limits: { memoryBytes: 0, cpuMillis: 0 } });
  await engine.execute(build.deploymentId, { kind: 'remove', name, because });
}

/** The next build of the deployment begins with an empty cache. */
export async function removeBuildCache({ engine }: Pick<BuildParts, 'engine'>, { deploymentId }: Build): Promise<void> {
  await engine.execute(deploymentId, { kind: 'remove-volume', volume: buildVolume, because });
}

async function settle(
  parts: BuildParts,
  { build, deployment }: Revising,
  image: ImageToMake,
  made: Parameters<typeof storeImage>[1],
): Promise<void> {
  const { db } = parts;
  const pushed = readPushedName(image.name, '');
  if (!pushed || !('tag' in pushed.reference)) throw new Error(`not the name of an image to build: ${image.name}`);
  const { name, reference } = pushed;
  const namespace: Namespace = {
    name: namespaceOf({ kind: 'session', sessionId: deployment.sessionId }),
    sessionId: deployment.sessionId,
    accountId: null,
    client: (await clientOf(db, deployment.id)) ?? deployment.id,
  };
  const digest = await storeImage(parts, made, { namespace, name, tag: reference.tag });
  const stored = pushedReference(`${namespace.name}/${name}`, { tag: reference.tag, digest });
  await write(db, { deploymentId: build.deploymentId }, async (db) => {
    await settleImage(db, build.deploymentId, build.revision, { image: image.name, reference: stored, by: 'registry' });
    await markPrivate(db, repositoryOf(stored));
    await grantAccess(db, build.deploymentId, repositoryOf(stored));
  });
}
