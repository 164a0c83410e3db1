/** Workloads that were stopped because of what they held of the disk. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('evictions')
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('pod', 'text', (c) => c.notNull())
    .addColumn('replica', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('because', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('evictions_deployment').on('evictions').columns(['deploymentId', 'revision']).execute();
}
