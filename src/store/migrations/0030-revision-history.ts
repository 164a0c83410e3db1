/** Who has asked for a revision, which earlier one it repeats, and what became of it and when. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // SQLite adds one column at a time.
  await db.schema.alterTable('revisions').addColumn('askedBy', 'text').execute();
  await db.schema.alterTable('revisions').addColumn('repeats', 'integer').execute();
  await db.schema.alterTable('revisions').addColumn('outcome', 'text').execute();
  await db.schema.alterTable('revisions').addColumn('settledAt', 'bigint').execute();
}
