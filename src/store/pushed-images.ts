/** Pushed images: manifests, their tags, and their parts. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

/** A use is written down when the last time noted is older than this. */
export const recordEveryMs = 60_000;

export type PushedManifest = {
  repository: string;
  digest: string;
  namespace: string;
  mediaType: string;
  sizeBytes: number;
};

export type ManifestPart = { digest: string; kind: 'blob' | 'manifest' };

/** Call it in a transaction. Adding the same manifest again counts as a new push. */
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

/** Finds a manifest by tag or digest. */
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

/** Records that an image was pulled or runs, at most once a minute. */
export async function recordManifestPull(
  db: Database,
  { repository, digest }: Pick<PushedManifest, 'repository' | 'digest'>,
  now: Instant,
): Promise<void> {
  await db
    .updateTable('pushedManifests')
    .set({ usedAt: now })
    .where('repository', '=', repository)
    .where('digest', '=', digest)
    .where('usedAt', '<=', now - recordEveryMs)
    .execute();
}

/** Returns the existing manifests of the repository. */
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

/** In alphabetical order, those after `last`. */
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

/** Returns false if the tag does not exist. */
export async function removePushedTag(db: Database, repository: string, tag: string): Promise<boolean> {
  const result = await db
    .deleteFrom('pushedTags')
    .where('repository', '=', repository)
    .where('tag', '=', tag)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Also removes its tags. Returns false if the manifest does not exist. */
export async function removePushedManifest(db: Database, repository: string, digest: string): Promise<boolean> {
  const result = await db
    .deleteFrom('pushedManifests')
    .where('repository', '=', repository)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
