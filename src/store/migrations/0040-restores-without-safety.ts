/** Restores before which nothing is kept of what is there, where its owner does without. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('restores')
    .addColumn('takesSafety', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
}
