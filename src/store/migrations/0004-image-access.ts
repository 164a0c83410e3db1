/** Which repositories are private, and which deployments their registries have let in. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('privateRepositories')
    .addColumn('repository', 'text', (c) => c.primaryKey())
    .execute();
  await db.schema
    .createTable('imageAccess')
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('repository', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('imageAccess_key', ['deploymentId', 'repository'])
    .execute();
}
