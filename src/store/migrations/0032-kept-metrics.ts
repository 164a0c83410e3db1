/** What pods of claimed deployments use and their sites are asked, five minutes each, by each process that measures. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('keptMetrics')
    .addColumn('deploymentId', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('process', 'text', (c) => c.notNull())
    .addColumn('metrics', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('keptMetricsKey', ['deploymentId', 'at', 'process'])
    .execute();
  await db.schema.createIndex('keptMetricsByTime').on('keptMetrics').column('at').execute();
}
