/** Images that users push: whose they are, and what they consist of. Their bytes are in the data directory, by digest. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('imageNamespaces')
    .addColumn('name', 'text', (c) => c.primaryKey())
    // No reference to either: what they leave is cleared after a grace, and has to be found until then.
    .addColumn('sessionId', 'text')
    .addColumn('accountId', 'text')
    .addColumn('client', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'bigint', (c) => c.notNull())
    .addColumn('aliveAt', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('pushedBlobs')
    .addColumn('namespace', 'text', (c) => c.notNull().references('imageNamespaces.name').onDelete('cascade'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('sizeBytes', 'bigint', (c) => c.notNull())
    .addColumn('seenAt', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('pushedBlobs_key', ['namespace', 'digest'])
    .execute();
  await db.schema.createIndex('pushedBlobs_digest').on('pushedBlobs').column('digest').execute();
  await db.schema
    .createTable('pushedManifests')
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('namespace', 'text', (c) => c.notNull().references('imageNamespaces.name').onDelete('cascade'))
    .addColumn('mediaType', 'text', (c) => c.notNull())
    .addColumn('sizeBytes', 'bigint', (c) => c.notNull())
    .addColumn('pushedAt', 'bigint', (c) => c.notNull())
    .addColumn('usedAt', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('pushedManifests_key', ['repository', 'digest'])
    .execute();
  await db.schema.createIndex('pushedManifests_digest').on('pushedManifests').column('digest').execute();
  await db.schema.createIndex('pushedManifests_namespace').on('pushedManifests').column('namespace').execute();
  await db.schema
    .createTable('manifestParts')
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('manifest', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('manifestParts_key', ['repository', 'manifest', 'digest'])
    .addForeignKeyConstraint(
      'manifestParts_manifest',
      ['repository', 'manifest'],
      'pushedManifests',
      ['repository', 'digest'],
      (c) => c.onDelete('cascade'),
    )
    .execute();
  await db.schema.createIndex('manifestParts_digest').on('manifestParts').column('digest').execute();
  await db.schema
    .createTable('pushedTags')
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('tag', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('pushedAt', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('pushedTags_key', ['repository', 'tag'])
    .addForeignKeyConstraint(
      'pushedTags_manifest',
      ['repository', 'digest'],
      'pushedManifests',
      ['repository', 'digest'],
      (c) => c.onDelete('cascade'),
    )
    .execute();
}
