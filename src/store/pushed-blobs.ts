/** Pushed blobs: a namespace has those that its clients have proven to have. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import { recordEveryMs } from './pushed-images.ts';

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

/** Returns the size, or undefined if the namespace does not have the blob. The blob then stays for a while. */
export async function retainPushedBlob(
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
  if (row && row.seenAt + recordEveryMs <= now)
    await db
      .updateTable('pushedBlobs')
      .set({ seenAt: now })
      .where('namespace', '=', namespace)
      .where('digest', '=', digest)
      .execute();
  return row?.sizeBytes;
}

/** Returns the digests that the namespace has as blobs, with their sizes. */
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
