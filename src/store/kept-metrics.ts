/** What deployments that are claimed have used, for longer than memory keeps it. */
import type { Instant } from '../deployment/deployment.ts';
import type { KeptMetrics } from '../deployment/metrics/deployment-metrics.ts';
import { chunksOf } from './chunks.ts';
import type { Database } from './database.ts';

/** Of those among them that are claimed. Where another process on the same engine was first, its row stays. */
export async function keepMetrics(db: Database, ended: ReadonlyMap<string, KeptMetrics>): Promise<void> {
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
      return { deploymentId: id, at, metrics: JSON.stringify(metrics) };
    });
    await db
      .insertInto('keptMetrics')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['deploymentId', 'at']).doNothing())
      .execute();
  }
}

/** From an instant on, the oldest first. */
export async function keptMetricsSince(db: Database, deploymentId: string, since: Instant): Promise<KeptMetrics[]> {
  const rows = await db
    .selectFrom('keptMetrics')
    .select(['at', 'metrics'])
    .where('deploymentId', '=', deploymentId)
    .where('at', '>=', since)
    .orderBy('at')
    .execute();
  return rows.map(({ at, metrics }) => ({ ...(JSON.parse(metrics) as Omit<KeptMetrics, 'at'>), at }));
}

export async function forgetMetrics(db: Database, before: Instant): Promise<void> {
  await db.deleteFrom('keptMetrics').where('at', '<', before).execute();
}
