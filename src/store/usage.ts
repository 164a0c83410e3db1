/** What the active deployments of somebody are together. */
import type { Instant } from '../deployment/deployment.ts';
import { type Usage, usageFrom } from '../deployment/tier.ts';
import { committedToAll } from './commitments.ts';
import type { Database } from './database.ts';
import { activeDeployments } from './deployments.ts';

export async function usageOfDeployments(db: Database, deploymentIds: readonly string[]): Promise<Usage> {
  return usageFrom(deploymentIds.length, await committedToAll(db, deploymentIds));
}

/** Without a session there are none. */
export async function usageOfSession(db: Database, sessionId: string | undefined, now: Instant): Promise<Usage> {
  const deployments = sessionId === undefined ? [] : await activeDeployments(db, sessionId, now);
  return await usageOfDeployments(
    db,
    deployments.map(({ id }) => id),
  );
}
