/** Requests with an idempotency key, and their responses. Keys and bodies are stored as hashes only. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';

type Row = Tables['idempotency'];

/**
 * Adds the answer, unless the key already has one that has not expired. Returns false then. With overlapping
 * transactions, this waits for the one that has written the same key.
 */
export async function addIdempotency(db: Database, row: Row, now: Instant): Promise<boolean> {
  const result = await db
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) => conflict.column('keyHash').doUpdateSet(row).where('idempotency.expiresAt', '<=', now))
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function idempotencyOf(db: Database, keyHash: string, now: Instant): Promise<Row | undefined> {
  return await db
    .selectFrom('idempotency')
    .selectAll()
    .where('keyHash', '=', keyHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function deleteOldIdempotencyKeys(db: Database, now: Instant): Promise<void> {
  await db.deleteFrom('idempotency').where('expiresAt', '<=', now).execute();
}
