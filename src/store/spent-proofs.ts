/** Spent proofs of work. Each proof is accepted once across all processes. */
import type { Instant } from '../deployment/deployment.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';

/** Returns false if it was already spent. `expiresAt`: when the proof expires, and its row can be deleted. */
export async function spendProof(db: Database, signature: string, expiresAt: Instant): Promise<boolean> {
  const result = await db
    .insertInto('spentProofs')
    .values({ hash: hashToken(signature), expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deleteSpentProofs(db: Database, now: Instant): Promise<void> {
  await db.deleteFrom('spentProofs').where('expiresAt', '<=', now).execute();
}
