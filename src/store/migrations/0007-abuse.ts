/** What an operator needs against abuse: bans, a record of what was done, and where deployments were started from. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bans')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('bans_key', ['kind', 'subject'])
    .execute();

  await db.schema
    .createTable('auditEntries')
    .addColumn('number', 'integer', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('origins')
    .addColumn('deploymentId', 'text', (c) => c.primaryKey().references('deployments.id').onDelete('cascade'))
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('client', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('origins_client').on('origins').column('client').execute();

  // Revisions from before this have none; they are sealed, and a migration has no key.
  await db.schema
    .alterTable('revisions')
    .addColumn('images', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
