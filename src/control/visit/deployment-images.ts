/**
 * Images of a deployment: what its references mean, and whether it may use them.
 *
 * What is guaranteed: no container of a deployment is made from an image of a private repository unless the registry
 * has let that deployment in, with its own login or none, whoever brought the image to the host. A repository is
 * private when its registry has refused it to a request without a login. What the operator has built or loaded on the
 * host himself is for everybody.
 */

import { loginFor } from '../../config/spec/spec-images.ts';
import { isPinned, registryOf, repositoryOf } from '../../config/values/image-names.ts';
import { pushedRegistry } from '../../config/values/pushed-image.ts';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { wantedRevision } from '../../deployment/desired.ts';
import type { DeploymentEvent } from '../../deployment/event/event.ts';
import type { ImagePull, ImageRequest, ResolvedImage, TagCheck } from '../../deployment/plan/operation.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import { type Engine, EngineFault, facetOf, type Pulling, whenItAnswers } from '../../engine/engine.ts';
import type { Database } from '../../store/database.ts';
import { grantAccess, isGranted, markPrivate, markPublic, mayUse } from '../../store/image-access.ts';
import { notePulled } from '../../store/pulled-images.ts';
import { settleImage } from '../../store/revisions.ts';
import type { CheckTags } from './tag-check.ts';

export type ImageKeeper = {
  db: Database;
  engine: Engine;
  checkTags: CheckTags;
  now: () => Instant;
  /** Tells the deployment's owner. */
  note: (event: DeploymentEvent) => void;
};

/** Executes a check and writes down what the revision's images are. */
export async function checkImages(deployment: Deployment, check: TagCheck, keeper: ImageKeeper): Promise<void> {
  for (const { image } of check.images) await confirmPushed(deployment, image, keeper);
  const found = await keeper.checkTags(deployment.id, check.images);
  for (const resolved of found) {
    const request = check.images.find(({ image }) => image === resolved.image) ?? resolved;
    if (resolved.by === 'presence') await acceptUnasked(deployment, resolved, keeper);
    if (resolved.by === 'registry') await noteAccess(deployment, request, keeper);
    await settleImage(keeper.db, deployment.id, wantedRevision(deployment), resolved);
  }
}

/** Executes a pull and writes down what the revision's image is. */
export async function pullImage(
  deployment: Deployment,
  pull: ImagePull,
  keeper: ImageKeeper,
  pulling: Pulling,
): Promise<void> {
  const { db, engine } = keeper;
  const store = facetOf(engine, 'images');
  await confirmPushed(deployment, pull.image, keeper);
  await markIfPrivate(deployment, pull, keeper);
  const resolved = await store.pull(deployment.id, pull, pulling);
  // One that somebody else brought here meanwhile: whether this deployment may use it is asked before it starts.
  if (resolved.by === 'pull') {
    await notePulled(db, [resolved.image, resolved.reference], keeper.now());
    await noteAccess(deployment, pull, keeper);
  }
  await settleImage(db, deployment.id, wantedRevision(deployment), resolved);
}

/** Throws when the deployment may not use the workload's image, although it is on the host. */
export async function confirmAccess(deployment: Deployment, workload: Workload, keeper: ImageKeeper): Promise<void> {
  const { image, registryLogin } = workload;
  await confirmPushed(deployment, image, keeper);
  // Without a digest it came from no registry.
  if (!isPinned(image) || (await mayUse(keeper.db, deployment.id, repositoryOf(image)))) return;
  const request = { image, ...(registryLogin && { registryLogin }) };
  await checkImages(deployment, { kind: 'check', images: [request], because: 'private' }, keeper);
}

/**
 * What users have pushed is asked for without a login, and is their own all the same: the start or the update that has
 * named it has let the deployment in.
 */
async function confirmPushed({ id }: Deployment, image: string, { db }: ImageKeeper): Promise<void> {
  if (registryOf(image) !== pushedRegistry || (await isGranted(db, id, repositoryOf(image)))) return;
  const hint = 'use the name that it was pushed under, and start with the token of that session';
  throw new EngineFault('image-access-denied', `Image ${image} does not belong to this application.`, { image, hint });
}

/**
 * A pull with a login may bring an image here that is not for everybody. That has to be known before the image is here,
 * and stays so when the pull fails: another one may be under way. It is over when the registry asks for no login.
 */
async function markIfPrivate(deployment: Deployment, pull: ImagePull, keeper: ImageKeeper): Promise<void> {
  const { image, registryLogin } = pull;
  if (!loginFor(image, registryLogin) || (await isForEverybody(deployment, image, keeper))) return;
  await markPrivate(keeper.db, repositoryOf(image));
}

/** In doubt it is not. */
async function isForEverybody({ id }: Deployment, image: string, { checkTags }: ImageKeeper): Promise<boolean> {
  // Many log in to Docker Hub only because it limits the pulls of those who do not: it may not answer without a login.
  if (repositoryOf(image).startsWith('docker.io/library/')) return true;
  try {
    const [found] = await checkTags(id, [{ image }]);
    return found?.by === 'registry';
  } catch (error) {
    if (error instanceof EngineFault) return false;
    throw error;
  }
}

/** The registry has let the deployment in; when it asked for no login, it lets everybody in. */
async function noteAccess(deployment: Deployment, request: ImageRequest, { db }: ImageKeeper): Promise<void> {
  const repository = repositoryOf(request.image);
  if (registryOf(request.image) === pushedRegistry) return;
  await grantAccess(db, deployment.id, repository);
  if (!loginFor(request.image, request.registryLogin)) await markPublic(db, repository);
}

/** The image is here and its registry cannot be asked: enough for those who may use it anyway, who are told. */
async function acceptUnasked(deployment: Deployment, { image }: ResolvedImage, { db, note }: ImageKeeper) {
  if (!(await mayUse(db, deployment.id, repositoryOf(image)))) {
    const registry = registryOf(image);
    const words = `The registry ${registry} cannot be reached to ask whether this application may use ${image}.`;
    throw new EngineFault('registry-unreachable', words, { image, hint: whenItAnswers });
  }
  note({ kind: 'fault', fault: 'registry-not-asked', image });
}
