/**
 * Custom domains: of each account and name one row. Several accounts may try to prove a name, and one has it: the row
 * that says so stays after it was lost, for the time in which nobody else may have it.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('domains')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('accountId', 'text', (c) => c.notNull())
    .addColumn('deploymentId', 'text', (c) => c.notNull())
    .addColumn('redirectTo', 'text')
    .addColumn('addedAt', 'bigint', (c) => c.notNull())
    .addColumn('verifiedAt', 'bigint')
    .addColumn('failingSince', 'bigint')
    .addColumn('checkedAt', 'bigint')
    .addColumn('nextCheckAt', 'bigint', (c) => c.notNull())
    .addColumn('finding', 'text')
    .addColumn('releasedAt', 'bigint')
    .addColumn('releasedBecause', 'text')
    .addColumn('heldUntil', 'bigint')
    .addPrimaryKeyConstraint('domains_key', ['name', 'accountId'])
    .execute();
  await sql`create unique index domains_owner on domains (name) where "verifiedAt" is not null and "releasedAt" is null`.execute(
    db,
  );
  await db.schema.createIndex('domains_deployment').on('domains').column('deploymentId').execute();
  await db.schema.createIndex('domains_due').on('domains').column('nextCheckAt').execute();
}
