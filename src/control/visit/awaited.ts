/**
 * Work that has to be complete before a deployment is changed: the build of its images, a snapshot before an update,
 * and the data of a deployment that starts with the data of another one.
 */
import type { Deployment } from '../../deployment/deployment.ts';
import { hasFailed, type Running } from '../../deployment/desired.ts';
import { buildOf } from '../../store/builds.ts';
import type { Database } from '../../store/database.ts';
import { restoreInto } from '../../store/restores.ts';
import { awaitedSnapshot } from '../../store/snapshots.ts';
import type { FinalReason } from './note-failure.ts';

/** The snapshot worker also makes the deployment due when it has finished. */
export const lookAgainMs = 5_000;

/** Returns `wait`, or the reason why the update or start has failed. A restore is checked first. */
export async function findAwaited(
  db: Database,
  deployment: Deployment,
  { restore }: Running,
): Promise<'wait' | FinalReason | undefined> {
  if (restore) return undefined;
  // A deployment that has served has its data.
  const data = deployment.servingRevision === null ? await restoreInto(db, deployment.id) : undefined;
  if (data && data.state !== 'failed') return 'wait';
  if (data)
    return {
      pods: [],
      because: `the data of snapshot ${data.snapshotId} could not be fetched: ${data.problem}`,
      hint: 'Remove it, and restore the snapshot again.',
    };
  const isDeploying = deployment.state === 'deploying';
  // A revision whose build has failed has no images. It stays failed for that reason at every later visit.
  if (!isDeploying && !hasFailed(deployment)) return undefined;
  const build = await buildOf(db, deployment.id, deployment.revision);
  if (build?.state === 'asked' || build?.state === 'building') return 'wait';
  if (build?.state === 'failed')
    return {
      pods: build.pods,
      because: build.problem!,
      lastLines: build.lastLines,
      ...(build.hint !== null && { hint: build.hint }),
    };
  if (!isDeploying) return undefined;
  const awaited = await awaitedSnapshot(db, deployment);
  if (awaited?.state !== 'failed') return awaited && 'wait';
  return {
    pods: [],
    because: `no snapshot could be taken before the update: ${awaited.problem}`,
    hint: 'Send the update again: with snapshot=true to try another snapshot, or without one.',
  };
}
