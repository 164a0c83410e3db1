/** Workloads that were stopped because of what they held of the disk: after too many times they stay stopped. */
import type { Eviction } from '../deployment/disk/disk-levels.ts';
import type { Database } from './database.ts';

export async function addEviction(
  db: Database,
  deploymentId: string,
  eviction: Eviction & { revision: number },
): Promise<void> {
  await db
    .insertInto('evictions')
    .values({ deploymentId, ...eviction })
    .execute();
}

/** Those of one revision, in no order. */
export async function evictionsOf(db: Database, deploymentId: string, revision: number): Promise<Eviction[]> {
  return await db
    .selectFrom('evictions')
    .select(['pod', 'replica', 'at', 'because'])
    .where('deploymentId', '=', deploymentId)
    .where('revision', '=', revision)
    .execute();
}
