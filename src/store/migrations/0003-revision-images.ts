/** What the references of a revision's images were found to mean. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('revisionImages')
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('image', 'text', (c) => c.notNull())
    .addColumn('reference', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('revisionImages_key', ['deploymentId', 'revision', 'image'])
    .execute();
}
