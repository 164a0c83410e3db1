/** Pushed images: blobs that somebody has shown to have, manifests, tags, and what consists of what. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

/** A use is written down when the last time noted is older than this. */
const noteEveryMs = 60_000;

export type PushedManifest = {
  repository: string;
  digest: string;
  namespace: string;
  mediaType: string;
  sizeBytes: number;
};

export type ManifestPart = { digest: string; kind: 'blob' | 'manifest' };

export async function addPushedBlob(
  db: Database,
  blob: { namespace: string; digest: string; sizeBytes: number },
  now: Instant,
): Promise<void> {
  await db
    .insertInto('pushedBlobs')
    .values({ ...blob, seenAt: now })
    .onConflict((conflict) => conflict.columns(['namespace', 'digest']).doUpdateSet({ seenAt: now }))
    .execute();
}

/** Its size; undefined where the namespace has no such blob. Who is told so may count on it for a while. */
export async function seePushedBlob(
  db: Database,
  { namespace, digest }: { namespace: string; digest: string },
  now: Instant,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('pushedBlobs')
    .select(['sizeBytes', 'seenAt'])
    .where('namespace', '=', namespace)
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (row && row.seenAt + noteEveryMs <= now)
    await db
      .updateTable('pushedBlobs')
      .set({ seenAt: now })
      .where('namespace', '=', namespace)
      .where('digest', '=', digest)
      .execute();
  return row?.sizeBytes;
}

/** Those of the digests that the namespace has as blobs, with their sizes. */
export async function pushedBlobSizes(
  db: Database,
  namespace: string,
  digests: readonly string[],
): Promise<Map<string, number>> {
  if (digests.length === 0) return new Map();
  const rows = await db
    .selectFrom('pushedBlobs')
    .select(['digest', 'sizeBytes'])
    .where('namespace', '=', namespace)
    .where('digest', 'in', digests)
    .execute();
  return new Map(rows.map(({ digest, sizeBytes }) => [digest, sizeBytes]));
}

/** In a transaction. The same manifest again is pushed anew. */
export async function addPushedManifest(
  db: Database,
  manifest: PushedManifest,
  { parts, tag, now }: { parts: readonly ManifestPart[]; tag: string | undefined; now: Instant },
): Promise<void> {
  const { repository, digest } = manifest;
  await db
    .insertInto('pushedManifests')
    .values({ ...manifest, pushedAt: now, usedAt: now })
    .onConflict((conflict) => conflict.columns(['repository', 'digest']).doUpdateSet({ pushedAt: now, usedAt: now }))
    .execute();
  const edges = new Map(parts.map((part) => [part.digest, { ...part, repository, manifest: digest }]));
  if (edges.size > 0)
    await db
      .insertInto('manifestParts')
      .values([...edges.values()])
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  if (tag === undefined) return;
  await db
    .insertInto('pushedTags')
    .values({ repository, tag, digest, pushedAt: now })
    .onConflict((conflict) => conflict.columns(['repository', 'tag']).doUpdateSet({ digest, pushedAt: now }))
    .execute();
}

/** By its tag or its digest. */
export async function findPushedManifest(
  db: Database,
  repository: string,
  reference: { tag: string } | { digest: string },
): Promise<PushedManifest | undefined> {
  const query = db
    .selectFrom('pushedManifests')
    .select(['pushedManifests.repository', 'pushedManifests.digest', 'namespace', 'mediaType', 'sizeBytes'])
    .where('pushedManifests.repository', '=', repository);
  if ('digest' in reference)
    return await query.where('pushedManifests.digest', '=', reference.digest).executeTakeFirst();
  return await query
    .innerJoin('pushedTags', (join) =>
      join
        .onRef('pushedTags.repository', '=', 'pushedManifests.repository')
        .onRef('pushedTags.digest', '=', 'pushedManifests.digest'),
    )
    .where('tag', '=', reference.tag)
    .executeTakeFirst();
}

/** That somebody has pulled it, or it runs: noted at most once a minute. */
export async function notePulledManifest(
  db: Database,
  { repository, digest }: Pick<PushedManifest, 'repository' | 'digest'>,
  now: Instant,
): Promise<void> {
  await db
    .updateTable('pushedManifests')
    .set({ usedAt: now })
    .where('repository', '=', repository)
    .where('digest', '=', digest)
    .where('usedAt', '<=', now - noteEveryMs)
    .execute();
}

/** Those of the repository that are there. */
export async function knownManifests(
  db: Database,
  repository: string,
  digests: readonly string[],
): Promise<Set<string>> {
  if (digests.length === 0) return new Set();
  const rows = await db
    .selectFrom('pushedManifests')
    .select('digest')
    .where('repository', '=', repository)
    .where('digest', 'in', digests)
    .execute();
  return new Set(rows.map(({ digest }) => digest));
}

/** In the order of the alphabet, those after `last`. */
export async function tagsOf(
  db: Database,
  repository: string,
  { limit, last }: { limit: number; last?: string | undefined },
): Promise<string[]> {
  const query = db.selectFrom('pushedTags').select('tag').where('repository', '=', repository);
  const rows = await (last === undefined ? query : query.where('tag', '>', last)).orderBy('tag').limit(limit).execute();
  return rows.map(({ tag }) => tag);
}

export async function hasRepository(db: Database, repository: string): Promise<boolean> {
  const row = await db
    .selectFrom('pushedManifests')
    .select('digest')
    .where('repository', '=', repository)
    .executeTakeFirst();
  return row !== undefined;
}

/** False when there is none. */
export async function removePushedTag(db: Database, repository: string, tag: string): Promise<boolean> {
  const result = await db
    .deleteFrom('pushedTags')
    .where('repository', '=', repository)
    .where('tag', '=', tag)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** With its tags; false when there is none. */
export async function removePushedManifest(db: Database, repository: string, digest: string): Promise<boolean> {
  const result = await db
    .deleteFrom('pushedManifests')
    .where('repository', '=', repository)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** What present deployments run from, or may go back to, of references that begin so. */
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

/** Those that no manifest of their namespace consists of, and that no client was told of since. */
export async function removeUnnamedBlobs(db: Database, before: Instant): Promise<void> {
  await db
    .deleteFrom('pushedBlobs')
    .where('seenAt', '<', before)
    .where(({ not, exists, selectFrom }) =>
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
    )
    .execute();
}

/** Of blobs and manifests of everybody. */
export async function namedDigests(db: Database): Promise<Set<string>> {
  const rows = await db
    .selectFrom('pushedBlobs')
    .select('digest')
    .union(db.selectFrom('pushedManifests').select('digest'))
    .execute();
  return new Set(rows.map(({ digest }) => digest));
}

/** Whether somebody has it, as a blob or as a manifest. */
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

export type PushedRepository = {
  repository: string;
  tags: string[];
  sizeBytes: number;
  email: string | null;
  sessionId: string | null;
  pushedAt: Instant;
  usedAt: Instant;
};

/** All that is pushed, by repository; a blob that several images of one have counts once. */
export async function pushedRepositories(db: Database): Promise<PushedRepository[]> {
  const rows = await db
    .selectFrom('pushedManifests')
    .innerJoin('imageNamespaces', 'imageNamespaces.name', 'pushedManifests.namespace')
    .leftJoin('sessions', 'sessions.id', 'imageNamespaces.sessionId')
    .leftJoin('accounts', (join) =>
      join.on(({ eb, or, ref }) =>
        or([
          eb('accounts.id', '=', ref('imageNamespaces.accountId')),
          eb('accounts.id', '=', ref('sessions.accountId')),
        ]),
      ),
    )
    .select(['repository', 'email', 'imageNamespaces.sessionId'])
    .select(({ fn }) => [
      fn.max<number>('pushedAt').as('pushedAt'),
      fn.max<number>('usedAt').as('usedAt'),
      fn.sum<number>('sizeBytes').as('manifestBytes'),
    ])
    .groupBy(['repository', 'email', 'imageNamespaces.sessionId'])
    .orderBy('repository')
    .execute();
  const tags = await db.selectFrom('pushedTags').select(['repository', 'tag']).orderBy('tag').execute();
  const blobs = db
    .selectFrom('manifestParts')
    .innerJoin('pushedManifests', (join) =>
      join
        .onRef('pushedManifests.repository', '=', 'manifestParts.repository')
        .onRef('pushedManifests.digest', '=', 'manifestParts.manifest'),
    )
    .innerJoin('pushedBlobs', (join) =>
      join
        .onRef('pushedBlobs.namespace', '=', 'pushedManifests.namespace')
        .onRef('pushedBlobs.digest', '=', 'manifestParts.digest'),
    )
    .select(['manifestParts.repository', 'pushedBlobs.digest', 'pushedBlobs.sizeBytes'])
    .distinct()
    .as('blobs');
  const sizes = await db
    .selectFrom(blobs)
    .select(['repository', ({ fn }) => fn.sum<number>('sizeBytes').as('bytes')])
    .groupBy('repository')
    .execute();
  const bytesOf = new Map(sizes.map(({ repository, bytes }) => [repository, Number(bytes)]));
  return rows.map(({ manifestBytes, ...row }) => ({
    ...row,
    tags: tags.filter(({ repository }) => repository === row.repository).map(({ tag }) => tag),
    sizeBytes: Number(manifestBytes) + (bytesOf.get(row.repository) ?? 0),
  }));
}
