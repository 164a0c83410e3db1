/** The images that this installation has pulled to the host: each reference, with the time of its last use. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

export type PulledImage = { reference: string; lastUsedAt: Instant };

export async function recordPull(db: Database, references: readonly string[], now: Instant): Promise<void> {
  await db
    .insertInto('pulledImages')
    .values([...new Set(references)].map((reference) => ({ reference, lastUsedAt: now })))
    .onConflict((conflict) => conflict.column('reference').doUpdateSet({ lastUsedAt: now }))
    .execute();
}

/** Marks the images of all present deployments as in use now. */
export async function touchUsed(db: Database, now: Instant): Promise<void> {
  await db
    .updateTable('pulledImages')
    .set({ lastUsedAt: now })
    .where((eb) =>
      eb.or(
        (['image', 'reference'] as const).map((column) =>
          eb(
            'reference',
            'in',
            eb
              .selectFrom('revisionImages')
              .innerJoin('deployments', 'deployments.id', 'revisionImages.deploymentId')
              .select(`revisionImages.${column}`)
              .where('deployments.goneAt', 'is', null),
          ),
        ),
      ),
    )
    .execute();
}

export async function pulledImages(db: Database): Promise<PulledImage[]> {
  return await db.selectFrom('pulledImages').selectAll().execute();
}

export async function deletePulled(db: Database, references: readonly string[]): Promise<void> {
  if (references.length > 0) await db.deleteFrom('pulledImages').where('reference', 'in', references).execute();
}
