/** Images that users have pushed, as the operator sees them. */
import type { Kysely } from 'kysely';
import { bytesOfAll } from '../store/image-namespaces.ts';
import { pushedRepositories } from '../store/pushed-repositories.ts';
import type { Tables } from '../store/rows.ts';

export type ImageLine = {
  /** `<namespace>/<name>` */
  repository: string;
  tags: string[];
  /** The size of all blobs of its images, each counted once. Other repositories may share some. */
  sizeBytes: number;
  /** The account's; absent for a session without an account. */
  email?: string;
  /** The owning session; absent for an account's image. */
  sessionId?: string;
  /** The address where it was first pushed from, as the limits count it: what a ban can be about. */
  client: string;
  pushedAt: string;
  lastUsedAt: string;
};

/** Returns the images, largest first. `sizeBytes`: the size of all of them, each blob counted once. */
export async function listImages(db: Kysely<Tables>): Promise<{ images: ImageLine[]; sizeBytes: number }> {
  const rows = await pushedRepositories(db);
  const images = rows
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes)
    .map(({ repository, tags, sizeBytes, email, sessionId, client, pushedAt, usedAt }) => ({
      repository,
      tags,
      sizeBytes,
      ...(email !== null && { email }),
      ...(sessionId !== null && { sessionId }),
      client,
      pushedAt: new Date(pushedAt).toISOString(),
      lastUsedAt: new Date(usedAt).toISOString(),
    }));
  return { images, sizeBytes: await bytesOfAll(db) };
}
