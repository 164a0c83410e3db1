/** The first schema. Types are those that SQLite and PostgreSQL both know; instants are bigint milliseconds. */
import { type Kysely, sql } from 'kysely';

const bytes = sql`bytea`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('installation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('tokenHash', 'text', (c) => c.notNull().unique())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('deployments')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('sessionId', 'text', (c) => c.notNull().references('sessions.id'))
    .addColumn('applicationName', 'text', (c) => c.notNull())
    .addColumn('environment', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull().unique())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('servingRevision', 'integer')
    .addColumn('generation', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('progress', 'integer', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('pods', 'text', (c) => c.notNull())
    .addColumn('lastLines', 'text', (c) => c.notNull())
    .addColumn('endpoints', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('expiresAt', 'bigint')
    .addColumn('extensionsUsed', 'integer', (c) => c.notNull())
    .addColumn('claimedAt', 'bigint')
    .addColumn('heldAt', 'bigint')
    .addColumn('removedAt', 'bigint')
    .addColumn('goneAt', 'bigint')
    .addColumn('progressedAt', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('deployments_session')
    .on('deployments')
    .columns(['sessionId', 'applicationName'])
    .execute();
  await db.schema.createIndex('deployments_gone').on('deployments').column('goneAt').execute();

  await db.schema
    .createTable('revisions')
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('spec', bytes, (c) => c.notNull())
    .addColumn('document', bytes, (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('revisions_key', ['deploymentId', 'number'])
    .execute();

  await db.schema
    .createTable('events')
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('pod', 'text')
    .addColumn('message', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_key', ['deploymentId', 'number'])
    .execute();

  await db.schema
    .createTable('leases')
    .addColumn('deploymentId', 'text', (c) => c.primaryKey().references('deployments.id').onDelete('cascade'))
    .addColumn('dueAt', 'bigint')
    .addColumn('token', 'text')
    .addColumn('leasedUntil', 'bigint')
    .execute();
  await db.schema.createIndex('leases_due').on('leases').column('dueAt').execute();

  await db.schema
    .createTable('claims')
    .addColumn('tokenHash', 'text', (c) => c.primaryKey())
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('expiresAt', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('idempotency')
    .addColumn('keyHash', 'text', (c) => c.primaryKey())
    .addColumn('bodyHash', 'text', (c) => c.notNull())
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('sessionToken', bytes, (c) => c.notNull())
    .addColumn('expiresAt', 'bigint', (c) => c.notNull())
    .execute();
}
