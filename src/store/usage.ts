/** What the active deployments of somebody are together. */
import type { Instant } from '../deployment/deployment.ts';
import { type Usage, usageFrom } from '../deployment/limits/plan-tier.ts';
import { committedToAll } from './commitments.ts';
import type { Database } from './database.ts';
import { activeDeployments } from './deployments.ts';

export async function usageOfDeployments(db: Database, deploymentIds: readonly string[]): Promise<Usage> {
  return usageFrom(deploymentIds.length, await committedToAll(db, deploymentIds));
}

/** What counts to no plan: nobody has claimed it. Without a session there is none. */
export async function usageOfSession(db: Database, sessionId: string | undefined, now: Instant): Promise<Usage> {
  const deployments = sessionId === undefined ? [] : await activeDeployments(db, sessionId, now);
  const free = deployments.filter(({ claimedAt }) => claimedAt === null);
  return await usageOfDeployments(
    db,
    free.map(({ id }) => id),
  );
}
