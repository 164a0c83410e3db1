/** Images: what the references of each revision mean. */
import type { ResolvedImage } from '../deployment/plan/operation.ts';
import type { Database } from './database.ts';

/** A second look at the same reference changes nothing: what a revision runs from is decided once. */
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

/** By the reference that the configuration has. */
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
