/** What has ended is kept for a time; and who reaches the time limit is warned before. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['restorableUntil', 'keptAt', 'warnedOf'])
    await db.schema.alterTable('deployments').addColumn(column, 'bigint').execute();
}
