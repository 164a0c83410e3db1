/** Restores into a new deployment beside the one of the snapshot, which has its generated values; how far a restore is. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('restores').addColumn('fromDeploymentId', 'text').execute();
  await db.schema.alterTable('restores').addColumn('progress', 'integer').execute();
  await db.schema.alterTable('seeds').addColumn('valuesOf', 'text').execute();
}
