/** Whether the installation is being moved to another database, or was: at most one row, in both of them. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('storeMoves')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('move', 'text', (c) => c.notNull())
    .addColumn('side', 'text', (c) => c.notNull())
    .addColumn('isDone', 'integer', (c) => c.notNull())
    .addColumn('installation', 'text', (c) => c.notNull())
    .addColumn('place', 'text', (c) => c.notNull())
    .addColumn('run', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
}
