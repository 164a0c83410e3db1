/**
 * The survey: one listing of the whole engine tells whose things differ from what their last visit saw, so that nobody
 * has to be visited only to see that nothing has happened. Engine events tell sooner, and may be missed.
 */
import { hashListed } from '../deployment/workload/observed-hash.ts';
import { makeDueIfSettled, settledHashes } from '../store/leases.ts';
import type { Things } from './attention.ts';
import type { Control } from './control.ts';

/** Of these deployments, the ids of those that are due now because of it. */
export async function survey(
  { db, now }: Pick<Control, 'db' | 'now'>,
  things: Things,
  ids: Iterable<string>,
): Promise<string[]> {
  const hashes = await settledHashes(db, [...ids], now());
  const changed = [...hashes]
    .filter(([deploymentId, observedHash]) => hashListed(things.get(deploymentId) ?? []) !== observedHash)
    .map(([deploymentId]) => deploymentId);
  await makeDueIfSettled(db, changed, now());
  return changed;
}
