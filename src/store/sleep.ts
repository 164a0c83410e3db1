/** The use of deployments, and what wakes them up. */
import type { Instant } from '../deployment/deployment.ts';
import { chunksOf } from './chunks.ts';
import type { Database } from './database.ts';
import { atOnce, makeDue } from './leases.ts';
import { write } from './transaction.ts';

/** Use is recorded to the minute, so that a busy deployment is written once a minute. */
const recordedEveryMs = 60_000;

/** Records that deployments are in use now. */
export async function recordUse(db: Database, ids: readonly string[], now: Instant): Promise<void> {
  for (const some of chunksOf(ids))
    await db
      .updateTable('deployments')
      .set({ activeAt: now })
      .where('id', 'in', some)
      .where((eb) => eb.or([eb('activeAt', 'is', null), eb('activeAt', '<', now - recordedEveryMs)]))
      .execute();
}

/**
 * Wakes up a deployment: the loop starts its pods and routes its requests to them. Returns false if it does not sleep.
 */
export async function wakeDeployment(db: Database, id: string, now: Instant): Promise<boolean> {
  return await write(db, { deploymentId: id }, async (db) => {
    const result = await db
      .updateTable('deployments')
      .set((eb) => ({
        sleep: null,
        asleepAt: null,
        wakeRequestedAt: now,
        activeAt: now,
        generation: eb('generation', '+', 1),
      }))
      .where('id', '=', id)
      .where('sleep', 'is not', null)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return false;
    await makeDue(db, id, atOnce(now));
    return true;
  });
}
