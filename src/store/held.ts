/** Tokens of leases and duties contain the id of their process, so that others can release them when it has died. */
import type { Instant } from '../deployment/deployment.ts';
import { newId } from '../lib/ids.ts';
import type { Database } from './database.ts';
import { atOnce } from './leases.ts';

/** A process among those on the database. `isSeen`: the others notice at once when it dies. */
export type StoreProcess = { id: string; isSeen(): boolean };

/** Names a holder after its process while other processes see that process. Otherwise they wait until its leases expire. */
export function holderName(process: StoreProcess | undefined): string {
  return process?.isSeen() ? `${process.id}.${newId()}` : newId();
}

/**
 * Releases what a dead process held without waiting for the expiry: its deployments are due now and its duties are
 * free.
 */
export async function releaseHeldBy(db: Database, processId: string, now: Instant): Promise<void> {
  await db
    .updateTable('leases')
    .set({ token: null, leasedUntil: null, observedHash: null, dueAt: atOnce(now) })
    .where('leasedUntil', 'is not', null)
    .where('token', 'like', `${processId}.%`)
    .execute();
  await db.deleteFrom('duties').where('holder', 'like', `${processId}.%`).execute();
}
