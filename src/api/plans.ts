/** Plans of accounts: whether what a start, an update or a claim asks for is allowed. */
import type { AppSpec } from '../config/spec.ts';
import { growth } from '../deployment/budget.ts';
import type { Instant } from '../deployment/deployment.ts';
import { amountOf } from '../deployment/resources.ts';
import { planFits, type Tier, type Tiers, tierNamed, type Usage, usageFrom } from '../deployment/tier.ts';
import type { Result } from '../lib/problem.ts';
import { accountById, usageOf } from '../store/accounts.ts';
import { committedTo } from '../store/commitments.ts';
import type { Database } from '../store/database.ts';
import { accountOfSession } from '../store/sessions.ts';
import type { Caller } from './callers.ts';
import type { Service } from './service.ts';

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

/** That of who asks; undefined where it is a stranger. */
export async function planOfCaller(
  { db, settings }: Pick<Service, 'db' | 'settings'>,
  caller: Caller | undefined,
): Promise<Plan | undefined> {
  const accountId = caller?.kind === 'session' ? await accountOfSession(db, caller.sessionId) : caller?.accountId;
  return await planOf(db, settings.tiers, accountId);
}

/** As `admit`, within the same transaction. */
export async function admitToPlan(
  db: Database,
  { accountId, tier }: Plan,
  asked: { spec: AppSpec; now: Instant; deploymentId?: string },
): Promise<Result<undefined>> {
  return planFits(tier, await usageOf(db, accountId, asked.now), await addedBy(db, asked));
}

/** What a start adds to a usage, or what an update makes more of it. */
export async function addedBy(
  db: Database,
  { spec, deploymentId }: { spec: AppSpec; deploymentId?: string },
): Promise<Usage> {
  const wanted = amountOf(spec);
  if (deploymentId === undefined) return usageFrom(1, wanted);
  return usageFrom(0, growth(await committedTo(db, deploymentId), wanted));
}
