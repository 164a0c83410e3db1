/** Logins of command lines that wait for somebody to confirm them in a browser. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('logins')
    .addColumn('deviceHash', 'text', (c) => c.notNull().primaryKey())
    .addColumn('userHash', 'text', (c) => c.notNull().unique())
    .addColumn('machine', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('client', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('expiresAt', 'bigint', (c) => c.notNull())
    .addColumn('nextPollAt', 'bigint', (c) => c.notNull())
    .addColumn('intervalMs', 'bigint', (c) => c.notNull())
    .addColumn('accountId', 'text', (c) => c.references('accounts.id').onDelete('cascade'))
    .addColumn('decision', 'text')
    .execute();
  for (const column of ['expiresAt', 'accountId'])
    await db.schema.createIndex(`logins_${column}`).on('logins').column(column).execute();
}
