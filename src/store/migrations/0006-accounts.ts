/**
 * Accounts: the tables of the sign-in library under our names (it holds them to its own idea of them at every start),
 * API keys, and whose a session is.
 */
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect/dialect.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The library writes dates as ISO text into SQLite, and as what PostgreSQL calls a point in time there.
  const date = isPostgres(db) ? sql`timestamptz` : sql`date`;

  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('emailVerified', 'boolean', (c) => c.notNull())
    .addColumn('image', 'text')
    .addColumn('createdAt', date, (c) => c.notNull())
    .addColumn('updatedAt', date, (c) => c.notNull())
    .addColumn('tier', 'text')
    .execute();

  await db.schema
    .createTable('signIns')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('expiresAt', date, (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull().unique())
    .addColumn('createdAt', date, (c) => c.notNull())
    .addColumn('updatedAt', date, (c) => c.notNull())
    .addColumn('ipAddress', 'text')
    .addColumn('userAgent', 'text')
    .addColumn('userId', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('signIns_userId_idx').on('signIns').column('userId').execute();

  await db.schema
    .createTable('credentials')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('accountId', 'text', (c) => c.notNull())
    .addColumn('providerId', 'text', (c) => c.notNull())
    .addColumn('userId', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('accessToken', 'text')
    .addColumn('refreshToken', 'text')
    .addColumn('idToken', 'text')
    .addColumn('accessTokenExpiresAt', date)
    .addColumn('refreshTokenExpiresAt', date)
    .addColumn('scope', 'text')
    .addColumn('password', 'text')
    .addColumn('createdAt', date, (c) => c.notNull())
    .addColumn('updatedAt', date, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('credentials_userId_idx').on('credentials').column('userId').execute();

  await db.schema
    .createTable('verifications')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('identifier', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('expiresAt', date, (c) => c.notNull())
    .addColumn('createdAt', date, (c) => c.notNull())
    .addColumn('updatedAt', date, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('verifications_identifier_idx').on('verifications').column('identifier').execute();

  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('name', 'text')
    .addColumn('publicKey', 'text', (c) => c.notNull())
    .addColumn('userId', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('credentialID', 'text', (c) => c.notNull())
    .addColumn('counter', 'integer', (c) => c.notNull())
    .addColumn('deviceType', 'text', (c) => c.notNull())
    .addColumn('backedUp', 'boolean', (c) => c.notNull())
    .addColumn('transports', 'text')
    .addColumn('createdAt', date)
    .addColumn('aaguid', 'text')
    .execute();
  await db.schema.createIndex('passkeys_userId_idx').on('passkeys').column('userId').execute();
  await db.schema.createIndex('passkeys_credentialID_idx').on('passkeys').column('credentialID').execute();

  await db.schema
    .createTable('apiKeys')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('accountId', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('start', 'text', (c) => c.notNull())
    .addColumn('keyHash', 'text', (c) => c.notNull().unique())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('lastUsedAt', 'bigint')
    .execute();
  await db.schema.createIndex('apiKeys_account').on('apiKeys').column('accountId').execute();

  await db.schema
    .alterTable('sessions')
    .addColumn('accountId', 'text', (c) => c.references('accounts.id'))
    .execute();
  await db.schema.createIndex('sessions_account').on('sessions').column('accountId').execute();
}
