/** What is older than it may be is looked for every few seconds. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('notices_age').on('notices').column('createdAt').execute();
}
