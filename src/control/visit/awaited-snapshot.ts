/** A snapshot that is to be taken before an update: until then nothing of the deployment is changed. */
import type { Deployment } from '../../deployment/deployment.ts';
import type { Desired } from '../../deployment/desired.ts';
import type { Reason } from '../../deployment/status/reason.ts';
import type { Database } from '../../store/database.ts';
import { awaitedSnapshot } from '../../store/snapshots.ts';

/** Whoever has taken it makes the deployment due at once. */
export const lookAgainMs = 5_000;

/** `wait`: it is on its way; a reason: there will be none, and the update has failed. A restore goes first. */
export async function findAwaited(
  db: Database,
  deployment: Deployment,
  { restore }: Extract<Desired, { kind: 'running' }>,
): Promise<'wait' | Reason | undefined> {
  if (deployment.state !== 'deploying' || restore) return undefined;
  const awaited = await awaitedSnapshot(db, deployment);
  if (awaited?.state !== 'failed') return awaited && 'wait';
  return {
    pods: [],
    because: `no snapshot could be taken before the update: ${awaited.problem}`,
    hint: 'Send the update again, with snapshot=true to try another one, or without.',
  };
}
