/** Images of a document that its owner has pushed: which they are is settled when the revision is written. */
import { type AppSpec, imagesOf } from '../../config/spec/spec.ts';
import { repositoryOf } from '../../config/values/image-names.ts';
import {
  type PushedName,
  pushedReference,
  readPushedName,
  readPushedReference,
} from '../../config/values/pushed-image.ts';
import { namespaceOf } from '../../images/pushed/repository-names.ts';
import { type Result, succeed } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import { grantAccess, markPrivate } from '../../store/image-access.ts';
import { namespaceNamed } from '../../store/image-namespaces.ts';
import { findPushedManifest } from '../../store/pushed-images.ts';
import { settleImage } from '../../store/revisions.ts';

/** The owner of the images. A session's token does not grant the images of the session's account. */
export type PushOwner = { sessionId: string | undefined; accountId: string | null | undefined };

export type SettledPushed = { image: string; reference: string };

type ReferenceRequest = {
  spec: AppSpec;
  owner: PushOwner;
  baseUrl: URL;
  /** Images that are built for the revision: they are settled after their build. */
  built?: ReadonlySet<string>;
  /** The digests of the revision that is rolled back to, used even if the tags were pushed again. */
  earlier?: Readonly<Record<string, string>>;
};

/**
 * Finds all pushed references. Refuses with the list of missing images. Runs in the transaction that writes the
 * revision.
 */
export async function findPushed(
  db: Database,
  { spec, owner, baseUrl, built, earlier = {} }: ReferenceRequest,
): Promise<Result<SettledPushed[]>> {
  const own = ownNamespaces(owner);
  const settled: SettledPushed[] = [];
  for (const image of imagesOf(spec)) {
    const pushed = readPushedName(image, baseUrl.host);
    if (!pushed || built?.has(image)) continue;
    const before = earlier[image];
    if (before !== undefined) {
      if (!(await isStillThere(db, before))) return removedSince(image);
      settled.push({ image, reference: before });
      continue;
    }
    const found = await findImage(db, pushed, owner);
    if (!found) return notPushed(image, pushed, own[0] && `${baseUrl.host}/${own[0]}`);
    settled.push({
      image,
      reference: pushedReference(found.repository, { ...pushed.reference, digest: found.digest }),
    });
  }
  return succeed(settled);
}

/** Records that the revision uses these images, and that only its deployment may use them. */
export async function settlePushed(
  db: Database,
  { deploymentId, revision }: { deploymentId: string; revision: number },
  settled: readonly SettledPushed[],
): Promise<void> {
  for (const { image, reference } of settled) {
    await settleImage(db, deploymentId, revision, { image, reference, by: 'registry' });
    await markPrivate(db, repositoryOf(reference));
    await grantAccess(db, deploymentId, repositoryOf(reference));
  }
}

async function isStillThere(db: Database, reference: string): Promise<boolean> {
  const pushed = readPushedReference(reference);
  return pushed !== undefined && (await findPushedManifest(db, pushed.repository, pushed)) !== undefined;
}

/** The session's own first. */
function ownNamespaces({ sessionId, accountId }: PushOwner): string[] {
  return [
    ...(sessionId === undefined ? [] : [namespaceOf({ kind: 'session', sessionId })]),
    ...(accountId ? [namespaceOf({ kind: 'account', accountId })] : []),
  ];
}

async function findImage(db: Database, { namespace, name, reference }: PushedName, owner: PushOwner) {
  const own = ownNamespaces(owner);
  const isOthers = namespace !== undefined && !own.includes(namespace);
  if (isOthers && !(await isOfAccount(db, namespace, owner))) return undefined;
  for (const each of namespace === undefined ? own : [namespace]) {
    const found = await findPushedManifest(db, `${each}/${name}`, reference);
    if (found) return found;
  }
  return undefined;
}

/** An account has the images of its sessions, too. */
async function isOfAccount(db: Database, namespace: string, { accountId }: PushOwner): Promise<boolean> {
  return !!accountId && (await namespaceNamed(db, namespace))?.sessionAccountId === accountId;
}

function removedSince(image: string): Result<never> {
  const error = `The image that ${image} was in that revision has been removed from this service.`;
  const hint = 'Push it again, and send the document as an update.';
  return { ok: false, problem: { code: 'invalid_configuration', error, hint, errors: [`${error} (${hint})`] } };
}

function notPushed(image: string, { name, reference }: PushedName, prefix: string | undefined): Result<never> {
  const error = `The image ${image} was not pushed here, or belongs to another user.`;
  const tag = 'tag' in reference ? reference.tag : 'latest';
  const hint =
    prefix === undefined
      ? 'POST /createSession creates a session. Its token is the password for docker login. Start deployments that use its images with the same token.'
      : `Push it first: docker push ${prefix}/${name}:${tag}`;
  return { ok: false, problem: { code: 'invalid_configuration', error, hint, errors: [`${error} (${hint})`] } };
}
