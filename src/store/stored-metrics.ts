/** The metrics of claimed deployments, for longer than memory keeps them. */
import type { Instant } from '../deployment/deployment.ts';
import { mergeStored, type StoredMetrics } from '../deployment/metrics/deployment-metrics.ts';
import { chunksOf } from './chunks.ts';
import type { Database } from './database.ts';

/**
 * Stores the metrics that this process measured of the claimed deployments. An instant that is already stored stays.
 */
export async function storeMetrics(
  db: Database,
  process: string,
  ended: ReadonlyMap<string, StoredMetrics>,
): Promise<void> {
  for (const ids of chunksOf([...ended.keys()])) {
    const claimed = await db
      .selectFrom('deployments')
      .select('id')
      .where('id', 'in', ids)
      .where('claimedAt', 'is not', null)
      .where('goneAt', 'is', null)
      .execute();
    if (claimed.length === 0) continue;
    const rows = claimed.map(({ id }) => {
      const { at, ...metrics } = ended.get(id)!;
      return { deploymentId: id, at, process, metrics: JSON.stringify(metrics) };
    });
    await db
      .insertInto('keptMetrics')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['deploymentId', 'at', 'process']).doNothing())
      .execute();
  }
}

/** Returns the metrics from an instant on, oldest first, each merged from all processes. */
export async function storedMetricsSince(db: Database, deploymentId: string, since: Instant): Promise<StoredMetrics[]> {
  const rows = await db
    .selectFrom('keptMetrics')
    .select(['at', 'metrics'])
    .where('deploymentId', '=', deploymentId)
    .where('at', '>=', since)
    .orderBy('at')
    .orderBy('process')
    .execute();
  const kept = rows.map(({ at, metrics }) => ({ ...(JSON.parse(metrics) as Omit<StoredMetrics, 'at'>), at }));
  return [...Map.groupBy(kept, ({ at }) => at).values()].map(([first, ...others]) => mergeStored([first!, ...others]));
}

export async function deleteOldMetrics(db: Database, before: Instant): Promise<void> {
  await db.deleteFrom('keptMetrics').where('at', '<', before).execute();
}
