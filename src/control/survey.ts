/**
 * The survey: one listing of the whole engine shows which deployments differ from their last visit. Unchanged
 * deployments need no visit. Events of the engine arrive sooner but may be missed.
 */
import { hashListed } from '../deployment/workload/observed-hash.ts';
import { makeDueIfSettled, settledHashes } from '../store/leases.ts';
import type { Things } from './attention.ts';
import type { Control } from './control.ts';

/** Makes changed deployments due and returns their ids. */
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
