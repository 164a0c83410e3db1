/** Addresses at which anybody who has them sees how a deployment does. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('shareLinks')
    .addColumn('deploymentId', 'text', (c) => c.primaryKey().references('deployments.id').onDelete('cascade'))
    .addColumn('tokenHash', 'text', (c) => c.notNull().unique())
    .addColumn('token', sql`bytea`, (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .execute();
}
