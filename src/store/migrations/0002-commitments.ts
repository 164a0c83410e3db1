/** What each revision asks of the host, beside its sealed configuration: the sum decides who may still start. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Revisions from before count nothing until their next update: they are sealed, and free ones are gone in hours.
  for (const column of ['memoryBytes', 'cpuMillis', 'diskBytes']) {
    await db.schema
      .alterTable('revisions')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  }
}
