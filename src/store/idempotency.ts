/** Which requests with an idempotency key were answered, and how. Keys and bodies are kept as hashes only. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database, Tables } from './database.ts';

type Row = Tables['idempotency'];

/** Replaces an answer of the same key that has expired. */
export async function addIdempotency(db: Database, row: Row): Promise<void> {
  await db
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) => conflict.column('keyHash').doUpdateSet(row))
    .execute();
}

export async function idempotencyOf(db: Database, keyHash: string, now: Instant): Promise<Row | undefined> {
  return await db
    .selectFrom('idempotency')
    .selectAll()
    .where('keyHash', '=', keyHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function forgetIdempotency(db: Database, now: Instant): Promise<void> {
  await db.deleteFrom('idempotency').where('expiresAt', '<=', now).execute();
}
