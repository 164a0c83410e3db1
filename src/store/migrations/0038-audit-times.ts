/** Entries of the audit log of one kind are found by their time. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('auditEntriesByTime').on('auditEntries').columns(['action', 'at']).execute();
}
