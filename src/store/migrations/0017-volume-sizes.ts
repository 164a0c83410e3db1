/** Which volumes a deployment has by now: an update leaves those that it names no more. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Counted by the service when it starts, as in the migration before.
  await db.schema.alterTable('revisions').addColumn('volumeSizes', 'text').execute();
}
