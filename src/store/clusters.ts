/** On which cluster deployments are: by an id that no other cluster has. */
import type { Database } from './database.ts';

/** Of those that may have something on the engine: how many are on each; null: nobody has said where. */
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

/** All that may have something on the engine are on this one from now on; null: on none. */
export async function moveToCluster(db: Database, cluster: string | null): Promise<void> {
  await db.updateTable('deployments').set({ cluster }).where('goneAt', 'is', null).execute();
}
