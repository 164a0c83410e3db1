/** The use of deployments, and what wakes them up. */
import type { Instant } from '../deployment/deployment.ts';
import type { WorkloadUse } from '../deployment/metrics/use.ts';
import type { SleepStage } from '../deployment/sleep.ts';
import { wait } from '../lib/wait.ts';
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

/** Records the memory of frozen deployments, once for each sleep. */
export async function recordResident(db: Database, uses: readonly WorkloadUse[] | undefined): Promise<void> {
  if (!uses) return;
  const unknown = await db
    .selectFrom('deployments')
    .select('id')
    .where('sleep', '=', 'frozen')
    .where('residentBytes', 'is', null)
    .execute();
  if (unknown.length === 0) return;
  const usesOf = Map.groupBy(uses, ({ deploymentId }) => deploymentId);
  for (const { id } of unknown) {
    const own = usesOf.get(id);
    if (!own) continue;
    const residentBytes = own.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    await db
      .updateTable('deployments')
      .set({ residentBytes })
      .where('id', '=', id)
      .where('sleep', '=', 'frozen')
      .execute();
  }
}

export async function countAsleep(db: Database): Promise<Map<SleepStage, number>> {
  const rows = await db
    .selectFrom('deployments')
    .select((eb) => ['sleep', eb.fn.countAll().as('count')])
    .where('sleep', 'is not', null)
    .where('goneAt', 'is', null)
    .groupBy('sleep')
    .$narrowType<{ sleep: SleepStage }>()
    .execute();
  return new Map(rows.map(({ sleep, count }) => [sleep, Number(count)]));
}

/** How long a caller waits for a wake. */
const wakePatienceMs = 15_000;

/** Wakes up a deployment and waits until its pods serve again; not longer than 15 s. */
export async function awaken(
  db: Database,
  id: string,
  { now, wake }: { now: () => Instant; wake: (id: string) => void },
): Promise<void> {
  if (await wakeDeployment(db, id, now())) wake(id);
  for (let waitedMs = 0; waitedMs < wakePatienceMs && (await isWaking(db, id)); waitedMs += lookEveryMs)
    await wait(lookEveryMs);
}

const lookEveryMs = 50;

async function isWaking(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom('deployments').select('wakeRequestedAt').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.wakeRequestedAt !== null;
}

/** Records use now and then every minute, until it is disposed of. A fault only ends the use earlier. */
export function keepInUse(db: Database, id: string, now: () => Instant): Disposable {
  const record = () => void recordUse(db, [id], now()).catch(() => {});
  record();
  const timer = setInterval(record, recordedEveryMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
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
        residentBytes: null,
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
