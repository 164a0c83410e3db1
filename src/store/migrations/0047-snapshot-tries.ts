/** What a try may have left at its place, and whether somebody was told that tries fail. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['snapshots', 'restores'])
    await db.schema.alterTable(table).addColumn('toldAt', 'bigint').execute();
  await db.schema.alterTable('snapshots').addColumn('begunAt', 'bigint').execute();
}
