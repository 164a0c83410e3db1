/** Pushed images by repository, with tags, size and owner. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

export type PushedRepository = {
  repository: string;
  tags: string[];
  /** The size of all blobs of its images, each counted once. */
  sizeBytes: number;
  email: string | null;
  sessionId: string | null;
  /** Where it was first pushed from. */
  client: string;
  pushedAt: Instant;
  usedAt: Instant;
};

/** The owner: a session, or an account with its sessions. */
export type ImageOwner = { sessionId: string } | { accountId: string };

/** Repositories of all owners, or of one. A blob in several images of a repository counts once. */
export async function pushedRepositories(db: Database, owner?: ImageOwner): Promise<PushedRepository[]> {
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
    .select(['repository', 'email', 'imageNamespaces.sessionId', 'client'])
    .select(({ fn }) => [
      fn.max<number>('pushedAt').as('pushedAt'),
      fn.max<number>('usedAt').as('usedAt'),
      fn.sum<number>('sizeBytes').as('manifestBytes'),
    ])
    .where('namespace', 'in', namespacesOf(db, owner))
    .groupBy(['repository', 'email', 'imageNamespaces.sessionId', 'client'])
    .orderBy('repository')
    .execute();
  const repositories = db
    .selectFrom('pushedManifests')
    .select('repository')
    .where('namespace', 'in', namespacesOf(db, owner));
  const tags = await db
    .selectFrom('pushedTags')
    .select(['repository', 'tag'])
    .where('repository', 'in', repositories)
    .orderBy('tag')
    .execute();
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
    .where('pushedManifests.namespace', 'in', namespacesOf(db, owner))
    .distinct()
    .as('blobs');
  const sizes = await db
    .selectFrom(blobs)
    .select(['repository', ({ fn }) => fn.sum<number>('sizeBytes').as('bytes')])
    .groupBy('repository')
    .execute();
  const bytesOf = new Map(sizes.map(({ repository, bytes }) => [repository, Number(bytes)]));
  const tagsOf = Map.groupBy(tags, ({ repository }) => repository);
  return rows.map(({ manifestBytes, ...row }) => ({
    ...row,
    tags: (tagsOf.get(row.repository) ?? []).map(({ tag }) => tag),
    sizeBytes: Number(manifestBytes) + (bytesOf.get(row.repository) ?? 0),
  }));
}

function namespacesOf(db: Database, owner: ImageOwner | undefined) {
  const query = db
    .selectFrom('imageNamespaces')
    .leftJoin('sessions', 'sessions.id', 'imageNamespaces.sessionId')
    .select('name');
  if (owner === undefined) return query;
  if ('sessionId' in owner) return query.where('sessionId', '=', owner.sessionId);
  const { accountId } = owner;
  return query.where(({ eb, or }) =>
    or([eb('imageNamespaces.accountId', '=', accountId), eb('sessions.accountId', '=', accountId)]),
  );
}
