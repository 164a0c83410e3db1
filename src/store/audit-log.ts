/** The audit log: the actions of operators, which are never removed, and commands in pods. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

export type AuditEntry = { at: Instant; actor: string; action: string; subject: string; reason: string };

/** Call it in the write transaction of the audited change, so that two entries cannot get the same number. */
export async function addAuditEntry(db: Database, entry: AuditEntry): Promise<void> {
  const last = await db
    .selectFrom('auditEntries')
    .select((eb) => eb.fn.max('number').as('number'))
    .executeTakeFirst();
  await db
    .insertInto('auditEntries')
    .values({ number: Number(last?.number ?? 0) + 1, ...entry })
    .execute();
}

/** Commands that users ran are kept for a limited time, because their number is not limited. */
const execsKeptMs = 90 * 86_400_000;
const execAction = 'exec';

/** Call it before a command is run in a pod. */
export async function recordExec(db: Kysely<Tables>, { at, ...entry }: Omit<AuditEntry, 'action'>): Promise<void> {
  await write(db, 'all', async (db) => {
    // The entry is added before old ones are deleted, so that no number is reused.
    await addAuditEntry(db, { at, action: execAction, ...entry });
    const outdated = db.deleteFrom('auditEntries').where('action', '=', execAction);
    await outdated.where('at', '<', at - execsKeptMs).execute();
  });
}

/** Oldest first. */
export async function auditEntries(db: Database): Promise<(AuditEntry & { number: number })[]> {
  return await db.selectFrom('auditEntries').selectAll().orderBy('number').execute();
}
