/** Plans of accounts: whether what a start, an update or a claim asks for is allowed. */
import type { AppSpec } from '../config/spec.ts';
import { growth } from '../deployment/budget.ts';
import type { Instant } from '../deployment/deployment.ts';
import { amountOf } from '../deployment/resources.ts';
import { planFits, type Tier, type Tiers, tierNamed } from '../deployment/tier.ts';
import { type Result, succeed } from '../lib/problem.ts';
import { accountById, usageOf } from '../store/accounts.ts';
import { committedTo } from '../store/commitments.ts';
import type { Database } from '../store/database.ts';

export type Plan = { accountId: string; tier: Tier };

/** Undefined where there is no account. */
export async function planOf(
  db: Database,
  tiers: Tiers,
  accountId: string | null | undefined,
): Promise<Plan | undefined> {
  if (!accountId) return undefined;
  const account = await accountById(db, accountId);
  return account && { accountId, tier: tierNamed(tiers, account.tier) };
}

/** As `admit`, within the same transaction. Whoever has no plan is limited by other rules. */
export async function admitToPlan(
  db: Database,
  plan: Plan | undefined,
  asked: { spec: AppSpec; now: Instant; deploymentId?: string },
): Promise<Result<undefined>> {
  if (!plan) return succeed(undefined);
  const { spec, now, deploymentId } = asked;
  const wanted = amountOf(spec);
  const added =
    deploymentId === undefined
      ? { deployments: 1, memoryBytes: wanted.memoryBytes }
      : { deployments: 0, memoryBytes: growth(await committedTo(db, deploymentId), wanted).memoryBytes };
  return planFits(plan.tier, await usageOf(db, plan.accountId, now), added);
}
