/** Images that this installation has pulled: the only ones that it ever removes. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pulledImages')
    .addColumn('reference', 'text', (c) => c.primaryKey())
    .addColumn('lastUsedAt', 'bigint', (c) => c.notNull())
    .execute();
}
