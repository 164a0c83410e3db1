/** What is on the engine and unknown to the store, and how old the store is compared with the engine. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('quarantine')
    .addColumn('deploymentId', 'text', (c) => c.notNull().primaryKey())
    .addColumn('firstSeenAt', 'bigint', (c) => c.notNull())
    .addColumn('acceptedAt', 'bigint')
    .addColumn('decision', 'text')
    .addColumn('things', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('sweepState')
    .addColumn('id', 'integer', (c) => c.notNull().primaryKey())
    .addColumn('epoch', 'bigint', (c) => c.notNull())
    .addColumn('acceptedEpoch', 'bigint', (c) => c.notNull())
    .addColumn('hold', 'text')
    .execute();
}
