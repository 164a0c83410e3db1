/** The snapshot settings of deployments' owners. */
import { defaultSnapshotPreferences, type SnapshotPreferences } from '../deployment/snapshot/snapshot.ts';
import type { Database } from './database.ts';

export async function snapshotPreferencesOf(db: Database, deploymentId: string): Promise<SnapshotPreferences> {
  const row = await db
    .selectFrom('snapshotWishes')
    .select('beforeUpdates')
    .where('deploymentId', '=', deploymentId)
    .executeTakeFirst();
  return row ? { beforeUpdates: row.beforeUpdates === 1 } : defaultSnapshotPreferences;
}

export async function setSnapshotPreferences(
  db: Database,
  deploymentId: string,
  wishes: SnapshotPreferences,
): Promise<void> {
  const row = { beforeUpdates: wishes.beforeUpdates ? 1 : 0 };
  await db
    .insertInto('snapshotWishes')
    .values({ deploymentId, ...row })
    .onConflict((conflict) => conflict.column('deploymentId').doUpdateSet(row))
    .execute();
}
