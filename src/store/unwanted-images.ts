/** Finds the pushed images that are in use, and removes the others. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

/** The references with this prefix that present deployments run from, or may go back to. */
export async function presentReferences(db: Database, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('revisionImages')
    .innerJoin('deployments', 'deployments.id', 'revisionImages.deploymentId')
    .select('reference')
    .distinct()
    .where('goneAt', 'is', null)
    .where('reference', '>=', prefix)
    .where('reference', '<', `${prefix}\uffff`)
    .execute();
  return rows.map(({ reference }) => reference);
}

/**
 * Removes manifests that were not used since `before`, and that no index names, when no tag names them, or their owner
 * has not been there since, or is an account that has not used them since `keptSince`. How many.
 */
export async function removeUnwantedManifests(
  db: Database,
  { before, keptSince }: { before: Instant; keptSince: Instant },
): Promise<number> {
  const result = await db
    .deleteFrom('pushedManifests')
    .where('usedAt', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('manifestParts')
            .select('manifest')
            .whereRef('manifestParts.repository', '=', 'pushedManifests.repository')
            .whereRef('manifestParts.digest', '=', 'pushedManifests.digest'),
        ),
      ),
    )
    .where(({ or, and, eb, not, exists, selectFrom }) =>
      or([
        not(
          exists(
            selectFrom('pushedTags')
              .select('tag')
              .whereRef('pushedTags.repository', '=', 'pushedManifests.repository')
              .whereRef('pushedTags.digest', '=', 'pushedManifests.digest'),
          ),
        ),
        eb('namespace', 'in', selectFrom('imageNamespaces').select('name').where('aliveAt', '<', before)),
        and([
          eb('usedAt', '<', keptSince),
          eb('namespace', 'in', selectFrom('imageNamespaces').select('name').where('accountId', 'is not', null)),
        ]),
      ]),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Removes blobs that no manifest of their namespace contains and that were not reported to a client since `before`. */
export async function removeUnnamedBlobs(db: Database, before: Instant): Promise<void> {
  await unnamedBlobs(db).where('seenAt', '<', before).execute();
}

/** Returns false if the blob does not exist or a manifest of the namespace contains it. */
export async function removeUnnamedBlob(
  db: Database,
  { namespace, digest }: { namespace: string; digest: string },
): Promise<boolean> {
  const result = await unnamedBlobs(db)
    .where('namespace', '=', namespace)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** A query that removes blobs that no manifest of their namespace contains. */
function unnamedBlobs(db: Database) {
  return db.deleteFrom('pushedBlobs').where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('manifestParts')
          .innerJoin('pushedManifests', (join) =>
            join
              .onRef('pushedManifests.repository', '=', 'manifestParts.repository')
              .onRef('pushedManifests.digest', '=', 'manifestParts.manifest'),
          )
          .select('manifestParts.digest')
          .whereRef('manifestParts.digest', '=', 'pushedBlobs.digest')
          .whereRef('pushedManifests.namespace', '=', 'pushedBlobs.namespace'),
      ),
    ),
  );
}

/** Digests of all blobs and manifests in all namespaces. */
export async function namedDigests(db: Database): Promise<Set<string>> {
  const rows = await db
    .selectFrom('pushedBlobs')
    .select('digest')
    .union(db.selectFrom('pushedManifests').select('digest'))
    .execute();
  return new Set(rows.map(({ digest }) => digest));
}

/** Returns whether any namespace has the digest, as a blob or as a manifest. */
export async function isNamed(db: Database, digest: string): Promise<boolean> {
  const blob = await db.selectFrom('pushedBlobs').select('digest').where('digest', '=', digest).executeTakeFirst();
  if (blob) return true;
  const manifest = await db
    .selectFrom('pushedManifests')
    .select('digest')
    .where('digest', '=', digest)
    .executeTakeFirst();
  return manifest !== undefined;
}
