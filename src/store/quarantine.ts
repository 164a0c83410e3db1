/** Stores the quarantined deployments, and whether the sweep is on hold. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { QuarantineDecision, Quarantined, QuarantinedObject } from '../deployment/quarantine/quarantine.ts';
import { epochAfter, type SweepHold, type SweepState } from '../deployment/quarantine/sweep-hold.ts';
import { addAuditEntry } from './audit-log.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

/** Returns all of them, first seen first. */
export async function quarantined(db: Database): Promise<Quarantined[]> {
  const rows = await db.selectFrom('quarantine').selectAll().orderBy('firstSeenAt').orderBy('deploymentId').execute();
  return rows.map(({ things, ...row }) => ({ ...row, things: JSON.parse(things) }));
}

/** Adds an entry, or updates the listed things of an existing entry. */
export async function recordQuarantined(
  db: Database,
  { deploymentId, things, now }: { deploymentId: string; things: readonly QuarantinedObject[]; now: Instant },
): Promise<void> {
  const text = JSON.stringify(things);
  await db
    .insertInto('quarantine')
    .values({ deploymentId, firstSeenAt: now, acceptedAt: null, decision: null, things: text })
    .onConflict((conflict) => conflict.column('deploymentId').doUpdateSet({ things: text }))
    .execute();
}

export async function releaseFromQuarantine(db: Database, deploymentIds: readonly string[]): Promise<void> {
  for (const id of deploymentIds) await db.deleteFrom('quarantine').where('deploymentId', '=', id).execute();
}

export async function readEpoch(db: Database): Promise<number> {
  return (await db.selectFrom('sweepState').select('epoch').executeTakeFirst())?.epoch ?? 0;
}

export async function readSweepState(db: Database): Promise<SweepState> {
  const row = await db.selectFrom('sweepState').selectAll().executeTakeFirst();
  if (!row) return { epoch: 0, acceptedEpoch: 0, hold: null };
  const { epoch, acceptedEpoch, hold } = row;
  return { epoch, acceptedEpoch, hold: hold === null ? null : JSON.parse(hold) };
}

/** Writes the single row: updates `fields`, or inserts the row of a new installation with them. */
async function writeSweepState(db: Database, fields: Partial<Omit<Tables['sweepState'], 'id'>>): Promise<void> {
  await db
    .insertInto('sweepState')
    .values({ id: 1, epoch: 0, acceptedEpoch: 0, hold: null, ...fields })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(fields))
    .execute();
}

/** Raises the epoch, unless the sweep is on hold. Returns the current one. */
export async function nextEpoch(db: Kysely<Tables>): Promise<number> {
  return await write(db, 'all', async (db) => {
    const { epoch, hold } = await readSweepState(db);
    if (hold) return epoch;
    await writeSweepState(db, { epoch: epoch + 1 });
    return epoch + 1;
  });
}

export async function holdSweep(db: Database, hold: SweepHold): Promise<void> {
  await writeSweepState(db, { hold: JSON.stringify(hold) });
}

type QuarantineRequest = { actor: string; now: Instant };

/** Ends a hold. The sweep then works as before. Returns false without a hold. */
export async function acceptSweep(db: Kysely<Tables>, { actor, now }: QuarantineRequest): Promise<boolean> {
  return await write(db, 'all', async (db) => {
    const state = await readSweepState(db);
    if (!state.hold) return false;
    const epoch = epochAfter(state);
    await writeSweepState(db, { epoch, acceptedEpoch: epoch, hold: null });
    await db.updateTable('quarantine').set({ acceptedAt: now }).where('acceptedAt', 'is', null).execute();
    await addAuditEntry(db, { at: now, actor, action: 'accept-orphans', subject: 'engine', reason: '' });
    return true;
  });
}

/** Returns false if the deployment is not in quarantine. */
export async function decideQuarantined(
  db: Kysely<Tables>,
  { deploymentId, decision, actor, now }: QuarantineRequest & { deploymentId: string; decision: QuarantineDecision },
): Promise<boolean> {
  return await write(db, 'all', async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('quarantine')
      .set({ decision })
      .where('deploymentId', '=', deploymentId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const action = decision === 'adopt' ? 'adopt-orphan' : 'remove-orphan';
    await addAuditEntry(db, { at: now, actor, action, subject: deploymentId, reason: '' });
    return true;
  });
}
