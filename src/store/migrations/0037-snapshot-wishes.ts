/** What the owner of a deployment wants of its snapshots from now on. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('snapshotWishes')
    .addColumn('deploymentId', 'text', (c) => c.primaryKey().references('deployments.id').onDelete('cascade'))
    .addColumn('beforeUpdates', 'integer', (c) => c.notNull())
    .execute();
}
