/**
 * Images of a deployment: resolves its references and checks its access.
 *
 * A deployment runs an image of a private repository only if the registry has granted access to this deployment, even
 * if the image is already on the host. A repository is private if its registry has refused a request without a login.
 * Images that the operator has built or loaded on the host are available to all users.
 */
import { loginFor } from '../../config/spec/spec.ts';
import { isPinned, registryOf, repositoryOf } from '../../config/values/image-names.ts';
import { pushedRegistry } from '../../config/values/pushed-image.ts';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { wantedRevision } from '../../deployment/desired.ts';
import type { DeploymentEvent } from '../../deployment/event/event.ts';
import type { ImagePull, ImageRequest, Operation, ResolvedImage, TagCheck } from '../../deployment/plan/operation.ts';
import type { Pulled } from '../../deployment/status/deployment-progress.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import { type Engine, EngineFault, facetOf, type Pulling, whenItAnswers } from '../../engine/engine.ts';
import type { Wait } from '../../lib/wait.ts';
import type { Database } from '../../store/database.ts';
import { grantAccess, isGranted, markPrivate, markPublic, mayUse } from '../../store/image-access.ts';
import { recordPull } from '../../store/pulled-images.ts';
import { settleImage } from '../../store/revisions.ts';
import type { CheckTags } from './tag-check.ts';

export type ImageAccess = {
  db: Database;
  engine: Engine;
  checkTags: CheckTags;
  now: () => Instant;
  /** Adds an event for the deployment's owner. */
  addEvent: (event: DeploymentEvent) => void;
};

/** Executes a tag check and stores the digests of the revision's images. */
export async function checkImages(deployment: Deployment, check: TagCheck, access: ImageAccess): Promise<void> {
  for (const { image } of check.images) await confirmPushed(deployment, image, access);
  const found = await access.checkTags(deployment.id, check.images);
  for (const resolved of found) {
    const request = check.images.find(({ image }) => image === resolved.image) ?? resolved;
    if (resolved.by === 'presence') await acceptUnverified(deployment, resolved, access);
    if (resolved.by === 'registry') await recordAccess(deployment, request, access);
    await settleImage(access.db, deployment.id, wantedRevision(deployment), resolved);
  }
}

/** Executes a pull and stores the digest of the revision's image. */
export async function pullImage(
  deployment: Deployment,
  pull: ImagePull,
  access: ImageAccess,
  pulling: Pulling,
): Promise<void> {
  const { db, engine } = access;
  const store = facetOf(engine, 'images');
  await confirmPushed(deployment, pull.image, access);
  await markIfPrivate(deployment, pull, access);
  const resolved = await store.pull(deployment.id, pull, pulling);
  // If another deployment pulled the image during the wait, access is checked before the start.
  if (resolved.by === 'pull') {
    await recordPull(db, [resolved.image, resolved.reference], access.now());
    await recordAccess(deployment, pull, access);
  }
  await settleImage(db, deployment.id, wantedRevision(deployment), resolved);
}

/** Throws if the deployment may not use the workload's image, although it is on the host. */
export async function confirmAccess(deployment: Deployment, workload: Workload, access: ImageAccess): Promise<void> {
  const { image, registryLogin } = workload;
  await confirmPushed(deployment, image, access);
  // An image without a digest came from no registry.
  if (!isPinned(image) || (await mayUse(access.db, deployment.id, repositoryOf(image)))) return;
  const request = { image, ...(registryLogin && { registryLogin }) };
  await checkImages(deployment, { kind: 'check', images: [request], because: 'private' }, access);
}

/**
 * Pushed images need no login but are private: the start or update that named the image has granted access to the
 * deployment. Throws EngineFault otherwise.
 */
async function confirmPushed({ id }: Deployment, image: string, { db }: ImageAccess): Promise<void> {
  if (registryOf(image) !== pushedRegistry || (await isGranted(db, id, repositoryOf(image)))) return;
  const hint = 'use the name that it was pushed under, and start with the token of that session';
  throw new EngineFault('image-access-denied', `Image ${image} does not belong to this application.`, { image, hint });
}

/**
 * Marks the repository as private before a pull with a login, because the image may not be public. The mark stays after
 * a failed pull, because another pull may be running. It is removed when the registry requires no login.
 */
async function markIfPrivate(deployment: Deployment, pull: ImagePull, access: ImageAccess): Promise<void> {
  const { image, registryLogin } = pull;
  if (!loginFor(image, registryLogin) || (await isPublic(deployment, image, access))) return;
  await markPrivate(access.db, repositoryOf(image));
}

/** Returns whether the registry serves the image without a login; false if unknown. */
async function isPublic({ id }: Deployment, image: string, { checkTags }: ImageAccess): Promise<boolean> {
  // Many users log in to Docker Hub only because of its rate limit, so it may refuse a request without a login.
  if (repositoryOf(image).startsWith('docker.io/library/')) return true;
  try {
    const [found] = await checkTags(id, [{ image }]);
    return found?.by === 'registry';
  } catch (error) {
    if (error instanceof EngineFault) return false;
    throw error;
  }
}

/** Records that the registry has granted access to the deployment, or to all if it required no login. */
async function recordAccess(deployment: Deployment, request: ImageRequest, { db }: ImageAccess): Promise<void> {
  const repository = repositoryOf(request.image);
  if (registryOf(request.image) === pushedRegistry) return;
  await grantAccess(db, deployment.id, repository);
  if (!loginFor(request.image, request.registryLogin)) await markPublic(db, repository);
}

/** Accepts an image on the host while its registry is unreachable, if the deployment has access, and notes that. */
async function acceptUnverified(deployment: Deployment, { image }: ResolvedImage, { db, addEvent }: ImageAccess) {
  if (!(await mayUse(db, deployment.id, repositoryOf(image)))) {
    const registry = registryOf(image);
    const words = `The registry ${registry} cannot be reached to ask whether this application may use ${image}.`;
    throw new EngineFault('registry-unreachable', words, { image, hint: whenItAnswers });
  }
  addEvent({ kind: 'fault', fault: 'registry-not-asked', image });
}

/** A pull within a visit. It reports progress and ends when it has stalled for too long. */

/** Each report is a write. */
const reportEveryMs = 250;

/** How a pull reports progress and is aborted. */
export type WatchedPull = Required<Pick<Pulling, 'progress' | 'signal'>> & Pick<Pulling, 'limits'>;

type PullWatch = {
  /** How much of an image is here. */
  report: (pulled: [image: string, Pulled]) => void;
  /** Gives a pull up: it rejects with the signal's reason. */
  giveUp: AbortSignal;
  /** The time left without progress, read again when it has passed. */
  leftMs: () => number;
  wait: Wait;
};

/** The pull made no progress for too long, for any reason. */
export class LatePull extends EngineFault {
  constructor(image: string, options: ErrorOptions) {
    const words = `The pull of ${image} has stalled: its registry ${registryOf(image)} may have stopped sending.`;
    super('registry-unreachable', words, { ...options, image, hint: whenItAnswers });
  }
}

/** Runs `work`, and watches it if it is a pull. Throws LatePull after too long without progress. */
export async function watchPull(
  operation: Operation,
  { report, giveUp, leftMs, wait }: PullWatch,
  work: (pulling: WatchedPull) => Promise<void>,
): Promise<void> {
  if (operation.kind !== 'pull') return await work({ progress: () => {}, signal: giveUp });
  const { image } = operation;
  const ended = new AbortController();
  const late = new AbortController();
  void untilLate(leftMs, wait, ended.signal).then((isLate) => isLate && late.abort());
  report([image, { share: 0 }]);
  try {
    await work({
      progress: everySoOften((share, bytes) => report([image, { share, ...(bytes && { bytes }) }])),
      signal: AbortSignal.any([giveUp, late.signal]),
    });
  } catch (error) {
    if (!late.signal.aborted || giveUp.aborted) throw error;
    throw new LatePull(image, { cause: error });
  } finally {
    ended.abort();
  }
}

/** False when the work has ended before. */
async function untilLate(leftMs: () => number, wait: Wait, ended: AbortSignal): Promise<boolean> {
  while (!ended.aborted) {
    const ms = leftMs();
    if (ms <= 0) return true;
    await wait(ms, ended);
  }
  return false;
}

function everySoOften(report: NonNullable<Pulling['progress']>): NonNullable<Pulling['progress']> {
  let reportedAt = performance.now();
  return (...reported) => {
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    report(...reported);
  };
}
