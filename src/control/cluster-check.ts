/**
 * A service with the kubeconfig of another cluster would find nothing there of what the store tells, and start all of it
 * anew, beside what runs: so it does not start.
 */
import { StartError } from '../lib/start-error.ts';
import { countByCluster, moveToCluster } from '../store/clusters.ts';
import type { Database } from '../store/database.ts';

/** `cluster`: of the engine; undefined where that is none. `mayMove`: the operator insists. Throws StartError. */
export async function settleCluster(db: Database, cluster: string | undefined, mayMove: boolean): Promise<void> {
  const own = cluster ?? null;
  const elsewhere = [...(await countByCluster(db))].filter(([each]) => each !== own);
  const known = elsewhere.filter(([each]) => each !== null);
  if (known.length > 0 && !mayMove) throw new StartError(onAnother(known, own));
  if (elsewhere.length > 0) await moveToCluster(db, own);
}

function onAnother(known: readonly (readonly [string | null, number])[], own: string | null): string {
  const places = known.map(([cluster, count]) => `${count} on the cluster ${cluster}`).join(', ');
  const here = own === null ? 'and this engine is no cluster' : `and this is the cluster ${own}`;
  return `The deployments of this installation are elsewhere: ${places}, ${here}.
Look at KUBECONFIG and BERTH_ENGINE. BERTH_ALLOW_UNSAFE=cluster starts all of them anew here, with empty volumes;
what runs there stays, and nobody looks after it.`;
}
