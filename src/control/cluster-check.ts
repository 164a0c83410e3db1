/**
 * Refuses to start with the kubeconfig of another cluster. The service would find none of its deployments there and
 * start all of them a second time.
 */
import type { Kysely } from 'kysely';
import { StartError } from '../lib/start-error.ts';
import { claimCluster, claimedCluster, countByCluster, moveToCluster } from '../store/clusters.ts';
import { isPostgres } from '../store/dialect/dialect.ts';
import { otherServices } from '../store/dialect/postgres.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';

/**
 * `cluster`: the engine's cluster, if it has one. `mayMove`: the operator allows another cluster. If two services with
 * different clusters start on an empty store, the second one finds the claim of the first. Throws StartError.
 */
export async function settleCluster(db: Kysely<Tables>, cluster: string | undefined, mayMove: boolean): Promise<void> {
  const own = cluster ?? null;
  await write(db, 'all', async (db) => {
    const elsewhere = [...(await countByCluster(db))].filter(([each]) => each !== own);
    const known = elsewhere.filter(([each]) => each !== null);
    if (known.length > 0 && !mayMove) throw new StartError(onAnother(known, own));
    const claimed = await claimedCluster(db);
    const isContested = claimed !== null && claimed !== own && isPostgres(db) && (await otherServices(db)).length > 0;
    if (isContested && !mayMove) throw new StartError(besideAnother(claimed, own));
    if (claimed !== own) await claimCluster(db, own);
    if (elsewhere.length > 0) await moveToCluster(db, own);
  });
}

function besideAnother(claimed: string, own: string | null): string {
  const here = own === null ? 'this engine is not a cluster' : `this is the cluster ${own}`;
  return `Another service of this installation works on the cluster ${claimed}, and ${here}.
Look at KUBECONFIG and BERTH_ENGINE, or stop that service first.`;
}

function onAnother(known: readonly (readonly [string | null, number])[], own: string | null): string {
  const places = known.map(([cluster, count]) => `${count} on the cluster ${cluster}`).join(', ');
  const here = own === null ? 'and this engine is not a cluster' : `and this is the cluster ${own}`;
  return `The deployments of this installation are elsewhere: ${places}, ${here}.
Check KUBECONFIG and BERTH_ENGINE. BERTH_ALLOW_UNSAFE=cluster starts all of these deployments here, with the data that
berth admin restore has restored, or with empty volumes. Their old containers keep running without supervision.`;
}
