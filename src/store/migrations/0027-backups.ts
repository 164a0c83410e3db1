/** Backups of the installation that were finished. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('backups')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('place', 'text', (c) => c.notNull())
    .addColumn('totalBytes', 'bigint', (c) => c.notNull())
    .addColumn('addedBytes', 'bigint', (c) => c.notNull())
    .execute();
}
