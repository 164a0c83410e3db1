/** The audit log as the operator reads it. */
import type { Kysely } from 'kysely';
import { type AuditEntry, auditEntries } from '../store/audit-log.ts';
import type { Tables } from '../store/rows.ts';

export type AuditLine = Omit<AuditEntry, 'at'> & { number: number; at: string };

/** Oldest first. */
export async function listAudit(db: Kysely<Tables>): Promise<AuditLine[]> {
  const entries = await auditEntries(db);
  return entries.map(({ at, ...entry }) => ({ ...entry, at: new Date(at).toISOString() }));
}
