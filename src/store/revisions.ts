/** Revisions: immutable, and sealed because configurations hold passwords. */
import { printSpec, readSpec } from '../config/stored-spec.ts';
import type { Instant, Revision } from '../deployment/deployment.ts';
import { imagesOf } from '../deployment/references.ts';
import { amountOf } from '../deployment/resources.ts';
import type { Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';
import { settledImages } from './images.ts';

export async function addRevision(
  db: Database,
  seal: Seal,
  deploymentId: string,
  revision: Revision & { document: string; createdAt: Instant },
): Promise<void> {
  const { number, spec, document, createdAt } = revision;
  await db
    .insertInto('revisions')
    .values({
      ...{ deploymentId, number, createdAt, ...amountOf(spec) },
      spec: seal.close(printSpec(spec)),
      document: seal.close(document),
      images: JSON.stringify(imagesOf(spec)),
    })
    .execute();
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
  const { spec } = await db
    .selectFrom('revisions')
    .select('spec')
    .where('deploymentId', '=', deploymentId)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  const images = await settledImages(db, deploymentId, number);
  return { number, spec: readSpec(seal.open(spec)), images };
}
