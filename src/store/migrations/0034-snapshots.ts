/** Snapshots of deployments, what is to be restored from them, and what opens the places where they are kept. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // No reference to the deployment: a row stays until what it names has left its place.
  await db.schema
    .createTable('snapshots')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('deploymentId', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('takenAt', 'bigint')
    .addColumn('placeId', 'text')
    .addColumn('volumes', 'text', (c) => c.notNull())
    .addColumn('totalBytes', 'bigint')
    .addColumn('addedBytes', 'bigint')
    .addColumn('pausedMs', 'integer')
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('nextTryAt', 'bigint', (c) => c.notNull())
    .addColumn('problem', 'text')
    .execute();
  await db.schema.createIndex('snapshots_deployment').on('snapshots').column('deploymentId').execute();
  await db.schema.createIndex('snapshots_state').on('snapshots').column('state').execute();
  await db.schema
    .createTable('restores')
    .addColumn('id', 'text', (c) => c.notNull().primaryKey())
    .addColumn('deploymentId', 'text', (c) => c.notNull())
    .addColumn('snapshotId', 'text', (c) => c.notNull())
    .addColumn('volumes', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('safetyId', 'text')
    .addColumn('filledKey', 'text')
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('finishedAt', 'bigint')
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('nextTryAt', 'bigint', (c) => c.notNull())
    .addColumn('problem', 'text')
    .execute();
  await db.schema.createIndex('restores_deployment').on('restores').column('deploymentId').execute();
  await db.schema
    .createTable('snapshotPlaces')
    .addColumn('place', 'text', (c) => c.notNull().primaryKey())
    .addColumn('password', sql`bytea`, (c) => c.notNull())
    .execute();
}
