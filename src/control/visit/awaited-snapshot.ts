/**
 * What nothing of a deployment is changed before: a snapshot that is to be taken before an update, or, of one that was
 * started beside another, that its volumes have the data of that one's snapshot.
 */
import type { Deployment } from '../../deployment/deployment.ts';
import type { Running } from '../../deployment/desired.ts';
import type { Reason } from '../../deployment/status/reason.ts';
import type { Database } from '../../store/database.ts';
import { restoreInto } from '../../store/restores.ts';
import { awaitedSnapshot } from '../../store/snapshots.ts';

/** Whoever has taken it makes the deployment due at once. */
export const lookAgainMs = 5_000;

/** `wait`: it is on its way; a reason: there will be none, and the update or the start has failed. A restore goes first. */
export async function findAwaited(
  db: Database,
  deployment: Deployment,
  { restore }: Running,
): Promise<'wait' | Reason | undefined> {
  if (restore) return undefined;
  // One that has served has got its data.
  const data = deployment.servingRevision === null ? await restoreInto(db, deployment.id) : undefined;
  if (data && data.state !== 'failed') return 'wait';
  if (data)
    return {
      pods: [],
      because: `the data of snapshot ${data.snapshotId} could not be fetched: ${data.problem}`,
      hint: 'Remove it, and restore the snapshot again.',
    };
  if (deployment.state !== 'deploying') return undefined;
  const awaited = await awaitedSnapshot(db, deployment);
  if (awaited?.state !== 'failed') return awaited && 'wait';
  return {
    pods: [],
    because: `no snapshot could be taken before the update: ${awaited.problem}`,
    hint: 'Send the update again: with snapshot=true to try another snapshot, or without one.',
  };
}
