/** Explains by the disk why workloads are missing or not ready. */
import type { Deployment } from '../../deployment/deployment.ts';
import type { Running } from '../../deployment/desired.ts';
import { type Eviction, keptSizes, withEvictions, withFullVolumes } from '../../deployment/disk/disk-levels.ts';
import type { Observed } from '../../deployment/workload/workload.ts';
import type { Database } from '../../store/database.ts';
import type { Control } from '../control.ts';
import type { Journal } from '../visit/journal.ts';

/** Returns the observation with these explanations. Notes volumes with a wrong size once. */
export async function explainByDisk(
  { id, state }: Deployment,
  { desired, observed, journal }: { desired: Running; observed: Observed; journal: Pick<Journal, 'addEvent'> },
  { db, disk }: Control,
): Promise<Observed> {
  disk.learn(id, desired);
  for (const event of keptSizes(desired, observed)) {
    const isNews = state === 'deploying' && disk.isUnreported(id, { ...event, revision: desired.revision });
    if (isNews) journal.addEvent(event);
  }
  const held = withEvictions(desired, observed, await evictionsOf(db, id, desired.revision));
  return withFullVolumes(desired, held, disk.fullVolumes(id));
}

/** Records an eviction. After too many evictions for its disk use, a workload stays stopped. */

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

/** Returns the evictions of one revision, in no particular order. */
async function evictionsOf(db: Database, deploymentId: string, revision: number): Promise<Eviction[]> {
  return await db
    .selectFrom('evictions')
    .select(['pod', 'replica', 'at', 'because'])
    .where('deploymentId', '=', deploymentId)
    .where('revision', '=', revision)
    .execute();
}
