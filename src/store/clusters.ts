/** On which cluster deployments are: by an id that no other cluster has. */
import type { Database } from './database.ts';

/**
 * How many deployments that may have resources on an engine are on each cluster. The key null counts those whose
 * cluster is unknown.
 */
export async function countByCluster(db: Database): Promise<Map<string | null, number>> {
  const rows = await db
    .selectFrom('deployments')
    .select((eb) => ['cluster', eb.fn.countAll().as('count')])
    .where('goneAt', 'is', null)
    .groupBy('cluster')
    .execute();
  return new Map(rows.map(({ cluster, count }) => [cluster, Number(count)]));
}

/** The one that the last service was started on; null: none. */
export async function claimedCluster(db: Database): Promise<string | null> {
  const row = await db.selectFrom('installation').select('cluster').executeTakeFirst();
  return row?.cluster ?? null;
}

export async function claimCluster(db: Database, cluster: string | null): Promise<void> {
  await db.updateTable('installation').set({ cluster }).execute();
}

/** Assigns all deployments that may have resources on the engine to this cluster, or to none if null. */
export async function moveToCluster(db: Database, cluster: string | null): Promise<void> {
  await db.updateTable('deployments').set({ cluster }).where('goneAt', 'is', null).execute();
}
