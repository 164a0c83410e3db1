/**
 * For several processes on one database: who does what only one is to do, which proofs of work are spent, by which key
 * values are sealed, and which edges serve which version of the route table.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('duties')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('heldUntil', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('spentProofs')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('expiresAt', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('spentProofs_expiresAt').on('spentProofs').column('expiresAt').execute();
  await db.schema
    .createTable('edges')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('machine', 'text', (c) => c.notNull())
    .addColumn('directory', 'text', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addColumn('answersUntil', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.alterTable('installation').addColumn('keyId', 'text').execute();
}
