/** The total usage of the active deployments of one owner. */
import type { Instant } from '../deployment/deployment.ts';
import { type Usage, usageFrom } from '../deployment/limits/plan-tier.ts';
import { committedToAll } from './commitments.ts';
import type { Database } from './database.ts';
import { activeDeployments } from './deployments.ts';

export async function usageOfDeployments(db: Database, deploymentIds: readonly string[]): Promise<Usage> {
  return usageFrom(deploymentIds.length, await committedToAll(db, deploymentIds));
}

/** The usage of unclaimed deployments, which count toward no plan. Zero without a session. */
export async function usageOfSession(db: Database, sessionId: string | undefined, now: Instant): Promise<Usage> {
  const deployments = sessionId === undefined ? [] : await activeDeployments(db, sessionId, now);
  const free = deployments.filter(({ claimedAt }) => claimedAt === null);
  return await usageOfDeployments(
    db,
    free.map(({ id }) => id),
  );
}
