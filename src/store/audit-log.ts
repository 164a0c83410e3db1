/** The audit log: what operators did, by whom and why. Entries are only ever added. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

export type AuditEntry = { at: Instant; actor: string; action: string; subject: string; reason: string };

/** Within the transaction of what it tells of, which is a writer's: no two take one number. */
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

/** Oldest first. */
export async function auditEntries(db: Database): Promise<(AuditEntry & { number: number })[]> {
  return await db.selectFrom('auditEntries').selectAll().orderBy('number').execute();
}
