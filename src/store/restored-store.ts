/** Removes from a copied database the facts about its original machine, before a service uses it elsewhere. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { atOnce } from './leases.ts';
import { nextRoutesVersion } from './routes.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

/**
 * Clears all endpoints, because another workload may now have a previous address: each route works again after the next
 * visit. Visits all present deployments at once and releases all leases.
 */
export async function settleRestored(db: Kysely<Tables>, now: Instant): Promise<void> {
  await write(db, 'all', async (db) => {
    await db.deleteFrom('edges').execute();
    await db.deleteFrom('duties').execute();
    // The filled volumes stayed on the previous machine.
    await db
      .updateTable('restores')
      .set({ state: 'asked', filledKey: null, progress: null, tries: 0, nextTryAt: now })
      .where('state', 'in', ['asked', 'filled'])
      .execute();
    const routesVersion = await nextRoutesVersion(db);
    await db
      .updateTable('deployments')
      .set({ endpoints: '[]', routesVersion })
      .where('endpoints', '!=', '[]')
      .execute();
    await db
      .updateTable('leases')
      .set({ dueAt: atOnce(now), token: null, leasedUntil: null, observedHash: null })
      .where('deploymentId', 'in', (eb) => eb.selectFrom('deployments').select('id').where('goneAt', 'is', null))
      .execute();
  });
}
