/** Certificates that an authority issues by ACME, what it asks to see before it does, and the keys of accounts there. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificates')
    .addColumn('host', 'text', (c) => c.notNull().primaryKey())
    .addColumn('pem', sql`bytea`)
    .addColumn('firstIssuedAt', 'bigint')
    .addColumn('issuedAt', 'bigint')
    .addColumn('expiresAt', 'bigint')
    .addColumn('renewAt', 'bigint')
    .addColumn('askAt', 'bigint')
    .addColumn('orderedAt', 'bigint', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('nextTryAt', 'bigint', (c) => c.notNull())
    .addColumn('problem', 'text')
    .execute();
  await db.schema
    .createTable('acmeAccounts')
    .addColumn('directory', 'text', (c) => c.notNull().primaryKey())
    .addColumn('key', sql`bytea`, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('acmeChallenges')
    .addColumn('token', 'text', (c) => c.notNull().primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('expiresAt', 'bigint', (c) => c.notNull())
    .execute();
}
