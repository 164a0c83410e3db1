/** The end of an account: who may end it, and what goes with it. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { releaseSessions } from '../store/accounts.ts';
import { activeDeploymentsOfAccount } from '../store/deployments.ts';
import { intend } from '../store/intents.ts';
import { forgetKept, restorableDeployments } from '../store/restorable-deployments.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';

/**
 * Removes its deployments with their data, and detaches its sessions, so that nothing refers to the account any more.
 * Keys and sign-ins go with the account's own row.
 */
export async function endAccount(db: Kysely<Tables>, accountId: string, now: Instant): Promise<void> {
  await write(db, 'all', async (db) => {
    const ended = await restorableDeployments(db, { accountId }, now);
    // A deployment that has just reached its time limit has not ended yet, and would be retained.
    const expiring = ended.filter(({ restorableUntil }) => restorableUntil === null);
    for (const { id } of [...(await activeDeploymentsOfAccount(db, accountId, now)), ...expiring])
      await intend(
        db,
        id,
        { removedAt: now, heldAt: null, restorableUntil: null },
        { event: { kind: 'intent', intent: 'remove', because: 'account-deleted' }, now },
      );
    for (const { id } of ended) await forgetKept(db, id, { because: 'asked', now });
    await releaseSessions(db, accountId);
  });
}
