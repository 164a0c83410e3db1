/** What accounts want to be told, what they were told, and what of that is still to be sent. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notificationChoices')
    .addColumn('accountId', 'text', (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
    .addColumn('mail', 'text', (c) => c.notNull())
    .addColumn('webhook', 'text', (c) => c.notNull())
    .addColumn('webhookUrl', 'text')
    .addColumn('webhookSecret', sql`bytea`)
    .addColumn('webhookFailures', 'integer', (c) => c.notNull())
    .addColumn('webhookDisabledAt', 'bigint')
    .addColumn('webhookAnswer', 'text')
    .addColumn('webhookTriedAt', 'bigint')
    .execute();
  await db.schema
    .createTable('notices')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('accountId', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('notices_subject', ['accountId', 'subject'])
    .execute();
  await db.schema
    .createTable('noticeDeliveries')
    .addColumn('noticeId', 'text', (c) => c.notNull().references('notices.id').onDelete('cascade'))
    .addColumn('channel', 'text', (c) => c.notNull())
    .addColumn('dueAt', 'bigint', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('noticeDeliveries_key', ['noticeId', 'channel'])
    .execute();
  await db.schema.createIndex('noticeDeliveries_due').on('noticeDeliveries').column('dueAt').execute();
}
