/** The snapshot settings of deployments' owners. */
import { noWishes, type SnapshotWishes } from '../deployment/snapshot/snapshot.ts';
import type { Database } from './database.ts';

export async function wishesOf(db: Database, deploymentId: string): Promise<SnapshotWishes> {
  const row = await db
    .selectFrom('snapshotWishes')
    .select('beforeUpdates')
    .where('deploymentId', '=', deploymentId)
    .executeTakeFirst();
  return row ? { beforeUpdates: row.beforeUpdates === 1 } : noWishes;
}

export async function setWishes(db: Database, deploymentId: string, wishes: SnapshotWishes): Promise<void> {
  const row = { beforeUpdates: wishes.beforeUpdates ? 1 : 0 };
  await db
    .insertInto('snapshotWishes')
    .values({ deploymentId, ...row })
    .onConflict((conflict) => conflict.column('deploymentId').doUpdateSet(row))
    .execute();
}
