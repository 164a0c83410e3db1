/**
 * The survey: one listing of the whole engine tells whose things differ from what their last visit saw, so that nobody
 * has to be visited only to see that nothing has happened. Engine events tell sooner, and may be missed.
 */
import { outlineOfListed } from '../deployment/workload/observed-outline.ts';
import type { Owned } from '../engine/engine.ts';
import { makeDueIfSettled, settledOutlines } from '../store/leases.ts';
import type { Control } from './control.ts';

/** The ids of deployments that are due now because of it. */
export async function survey({ db, now }: Pick<Control, 'db' | 'now'>, owned: readonly Owned[]): Promise<string[]> {
  const things = Map.groupBy(owned, ({ deploymentId }) => deploymentId);
  const outlines = await settledOutlines(db, now());
  const changed = [...outlines]
    .filter(([deploymentId, outline]) => outlineOfListed(things.get(deploymentId) ?? []) !== outline)
    .map(([deploymentId]) => deploymentId);
  if (changed.length > 0) await makeDueIfSettled(db, changed, now());
  return changed;
}
