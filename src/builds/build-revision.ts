/** One build: creates and stores every image of a revision. The revision then runs exactly these images. */
import { join } from 'node:path';
import { repositoryOf } from '../config/values/image-names.ts';
import { pushedReference, readPushedName } from '../config/values/pushed-image.ts';
import type { ImageToMake } from '../folder/project.ts';
import { namespaceOf } from '../images/pushed/repository-names.ts';
import { grantAccess, markPrivate } from '../store/image-access.ts';
import type { Namespace } from '../store/image-namespaces.ts';
import { clientOf } from '../store/origins.ts';
import { settleImage } from '../store/revisions.ts';
import { write } from '../store/transaction.ts';
import type { BuildParts } from './build-parts.ts';
import { fetchBase } from './fetch-base.ts';
import { makeImage } from './make-image.ts';
import { type Revising, startBuilder } from './start-builder.ts';
import { storeImage } from './store-image.ts';

type Hearing = {
  onImageDone: (image: ImageToMake, ms: number) => Promise<void>;
};

/** Throws BuildFault, PushFault and EngineFault for a failed image, and the reason of `stop`. */
export async function buildRevision(parts: BuildParts, requested: Omit<Revising, 'leftMs'> & Hearing): Promise<void> {
  const { deployment, images, build } = requested;
  const endsAt = performance.now() + parts.withinMs;
  const stop = AbortSignal.any([requested.stop, AbortSignal.timeout(parts.withinMs)]);
  const revising = { ...requested, stop, leftMs: () => endsAt - performance.now() };
  await using builder = await startBuilder(parts, revising);
  for (const image of images) {
    requested.onImage(image);
    const begunAt = performance.now();
    const making = {
      folder: join(parts.sources.place, build.source),
      openImage: async (name: string) =>
        await (await fetchBase(parts, { deploymentId: deployment.id, image: name, stop })).open(),
      builder,
    };
    await makeImage(making, image, async (made) => {
      stop.throwIfAborted();
      await settle(parts, revising, image, made);
    });
    await requested.onImageDone(image, performance.now() - begunAt);
  }
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
