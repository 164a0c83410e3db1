/** What the last visit of a deployment saw of it, in short: whether another one is needed shows without a closer look. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('leases').addColumn('outline', 'text').execute();
  await db.schema.createIndex('leases_held').on('leases').column('leasedUntil').execute();
}
