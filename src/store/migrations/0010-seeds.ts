/** What the generated values of each deployment come from, sealed. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('seeds')
    .addColumn('deploymentId', 'text', (c) => c.primaryKey().references('deployments.id').onDelete('cascade'))
    .addColumn('seed', sql`bytea`, (c) => c.notNull())
    .execute();
}
