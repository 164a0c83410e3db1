/** Snapshots with databases by their own tools, and restores that load them: as JSON, which pods' and how. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['snapshots', 'restores'])
    await db.schema
      .alterTable(table)
      .addColumn('dumps', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
}
