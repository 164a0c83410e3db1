/** Revisions: immutable, and sealed because configurations contain passwords. Also the digests of their images. */
import type { Kysely } from 'kysely';
import { type AppSpec, imagesOf, printSpec, readSpec } from '../config/spec/spec.ts';
import type { Deployment, Instant, Revision } from '../deployment/deployment.ts';
import { amountOf, type VolumeSizes, volumeSizesOf } from '../deployment/limits/pod-resources.ts';
import type { ResolvedImage } from '../deployment/plan/operation.ts';
import type { AuthMethod, SourceCommit } from '../deployment/revision-history.ts';
import type { Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

export type NewRevision = Revision & {
  document: string;
  createdAt: Instant;
  askedBy: AuthMethod;
  /** The earlier revision with the same document. */
  repeats?: number;
  commit?: SourceCommit | undefined;
};

export async function addRevision(
  db: Database,
  seal: Seal,
  deploymentId: string,
  revision: NewRevision,
): Promise<void> {
  const left = revision.number === 1 ? noVolumes : await volumeSizesOfDeployment(db, deploymentId);
  await addingRevision(db, seal, { deploymentId, left }, revision).execute();
}

/** The first one of a deployment that is added with it. */
export function addingFirstRevision(db: Database, seal: Seal, deploymentId: string, revision: NewRevision) {
  return addingRevision(db, seal, { deploymentId, left: noVolumes }, revision);
}

function addingRevision(
  db: Database,
  seal: Seal,
  { deploymentId, left }: { deploymentId: string; left: VolumeSizes },
  { number, spec, document, createdAt, askedBy, repeats, commit }: NewRevision,
) {
  return db.insertInto('revisions').values({
    deploymentId,
    number,
    createdAt,
    ...countedOf(spec, left),
    askedBy,
    repeats: repeats ?? null,
    sourceCommit: commit === undefined ? null : JSON.stringify(commit),
    spec: seal.close(printSpec(spec)),
    document: seal.close(document),
    images: JSON.stringify(imagesOf(spec)),
  });
}

/** Before the first revision. */
const noVolumes: VolumeSizes = new Map();

function countedOf(spec: AppSpec, left: VolumeSizes) {
  return { ...amountOf(spec, left), volumeSizes: JSON.stringify([...volumeSizesOf(spec, left)]) };
}

/** The sizes of all volumes in the deployment's revisions. */
export async function volumeSizesOfDeployment(db: Database, deploymentId: string): Promise<VolumeSizes> {
  const row = await db
    .selectFrom('revisions')
    .select('volumeSizes')
    .where('deploymentId', '=', deploymentId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return new Map(JSON.parse(row?.volumeSizes ?? '[]'));
}

/** The document as it was sent. Throws as `revisionOf` does. */
export async function documentOf(db: Database, seal: Seal, deploymentId: string, number: number): Promise<string> {
  const { document } = await db
    .selectFrom('revisions')
    .select('document')
    .where('deploymentId', '=', deploymentId)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  return seal.open(document);
}

/** Throws when it does not exist or was sealed with another key. */
export async function revisionOf(db: Database, seal: Seal, deploymentId: string, number: number): Promise<Revision> {
  const revision = await findStoredRevision(db, seal, deploymentId, number);
  if (!revision) throw new Error(`the deployment ${deploymentId} has no revision ${number}`);
  return revision;
}

/** Undefined if the revision was deleted. Throws if it was sealed with another key. */
export async function findStoredRevision(
  db: Database,
  seal: Seal,
  deploymentId: string,
  number: number,
): Promise<Revision | undefined> {
  const row = await db
    .selectFrom('revisions')
    .select('spec')
    .where('deploymentId', '=', deploymentId)
    .where('number', '=', number)
    .executeTakeFirst();
  const text = row && seal.open(row.spec);
  if (!text) return undefined;
  const images = await settledImages(db, deploymentId, number);
  return { number, spec: readSpec(text), images };
}

/** The number of revisions that stay for display and rollback. */
export const lastKept = 10;

/**
 * Deletes superseded revisions that are not needed: with an update each half second, they grow by some 10 GB a day.
 * `running`: the revisions of the current workloads.
 */
export async function deleteSuperseded(
  db: Database,
  { id, revision, servingRevision }: Pick<Deployment, 'id' | 'revision' | 'servingRevision'>,
  running: readonly number[],
): Promise<void> {
  const rows = await db
    .selectFrom('revisions')
    .select('number')
    .where('deploymentId', '=', id)
    .where('number', '<=', revision - lastKept)
    .execute();
  const needed = new Set([...running, servingRevision, ...(await snapshotRevisions(db, id))]);
  const superseded = rows.map(({ number }) => number).filter((number) => !needed.has(number));
  if (superseded.length > 0) await forgetRevisions(db, id, superseded);
}

/** The data of these snapshots can be started next to the deployment with these revisions. */
async function snapshotRevisions(db: Database, deploymentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('snapshots')
    .select('revision')
    .where('deploymentId', '=', deploymentId)
    .where('state', 'in', ['asked', 'taken'])
    .execute();
  return rows.map(({ revision }) => revision);
}

/** Deletes the configurations of an ending deployment. Its outline and its images stay for the operator. */
export async function deleteConfigurations(
  db: Kysely<Tables>,
  seal: Seal,
  { id, revision }: Pick<Deployment, 'id' | 'revision'>,
): Promise<void> {
  await write(db, { deploymentId: id }, async (db) => {
    const rows = await db.selectFrom('revisions').select('number').where('deploymentId', '=', id).execute();
    const others = rows.map(({ number }) => number).filter((number) => number !== revision);
    if (others.length > 0) await forgetRevisions(db, id, others);
    await db
      .updateTable('revisions')
      .set({ spec: seal.close(''), document: seal.close('') })
      .where('deploymentId', '=', id)
      .execute();
  });
}

async function forgetRevisions(db: Database, deploymentId: string, numbers: number[]): Promise<void> {
  // The images are found by their revision, so they go first. The deletion can resume after a crash.
  await db
    .deleteFrom('revisionImages')
    .where('deploymentId', '=', deploymentId)
    .where('revision', 'in', numbers)
    .execute();
  await db.deleteFrom('revisions').where('deploymentId', '=', deploymentId).where('number', 'in', numbers).execute();
}

/** A repeated resolution of a reference has no effect: the images of a revision are determined once. */
export async function settleImage(
  db: Database,
  deploymentId: string,
  revision: number,
  { image, reference }: ResolvedImage,
): Promise<void> {
  await db
    .insertInto('revisionImages')
    .values({ deploymentId, revision, image, reference })
    .onConflict((conflict) => conflict.columns(['deploymentId', 'revision', 'image']).doNothing())
    .execute();
}

/** Copies the images of another deployment's revision to this deployment's first one. Call it in a transaction. */
export async function copyImages(
  db: Database,
  from: { deploymentId: string; revision: number },
  to: { deploymentId: string; revision: number },
): Promise<void> {
  const settled = await settledImages(db, from.deploymentId, from.revision);
  const rows = Object.entries(settled).map(([image, reference]) => ({ ...to, image, reference }));
  if (rows.length > 0) await db.insertInto('revisionImages').values(rows).execute();
}

/** Returns the settled images by the reference in the configuration. */
export async function settledImages(
  db: Database,
  deploymentId: string,
  revision: number,
): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('revisionImages')
    .select(['image', 'reference'])
    .where('deploymentId', '=', deploymentId)
    .where('revision', '=', revision)
    .execute();
  return Object.fromEntries(rows.map(({ image, reference }) => [image, reference]));
}
