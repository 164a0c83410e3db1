/** Checks starts, updates and claims against the plans of accounts. */
import type { AppSpec } from '../../config/spec/spec.ts';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import {
  planFits,
  type Tier,
  type Tiers,
  tierNamed,
  type Usage,
  usageFrom,
} from '../../deployment/limits/plan-tier.ts';
import { amountOf } from '../../deployment/limits/pod-resources.ts';
import { payingAccount } from '../../deployment/limits/session-starts.ts';
import type { Result } from '../../lib/problem.ts';
import { accountById, usageOf } from '../../store/accounts.ts';
import type { Database } from '../../store/database.ts';
import { volumeSizesOfDeployment } from '../../store/revisions.ts';
import { accountOfSession } from '../../store/sessions.ts';
import type { Service } from '../api-service.ts';
import type { Caller } from '../requests/callers.ts';
import { addedAmount } from './capacity.ts';

export type Plan = { accountId: string; tier: Tier };

/** Undefined without an account. */
export async function planOf(
  db: Database,
  tiers: Tiers,
  accountId: string | null | undefined,
): Promise<Plan | undefined> {
  if (!accountId) return undefined;
  const account = await accountById(db, accountId);
  return account && { accountId, tier: tierNamed(tiers, account.tier) };
}

/** The plan that a deployment counts toward. Undefined for an unclaimed one, even if its session has an account. */
export async function planOfDeployment(
  db: Database,
  tiers: Tiers,
  { sessionId, claimedAt }: Pick<Deployment, 'sessionId' | 'claimedAt'>,
): Promise<Plan | undefined> {
  return claimedAt === null ? undefined : await planOf(db, tiers, await accountOfSession(db, sessionId));
}

/** The plan that the caller's start counts toward. Undefined for a free start. */
export async function planOfCaller(
  { db, settings }: Pick<Service, 'db' | 'settings'>,
  caller: Caller | undefined,
): Promise<Plan | undefined> {
  return await planOf(db, settings.tiers, payerOf(caller));
}

/** The account that a start of the caller is counted to. */
export function payerOf(caller: Caller | undefined): string | null {
  return caller?.kind === 'session' ? payingAccount(caller) : (caller?.accountId ?? null);
}

/** Part of `admit`. */
export async function admitToPlan(
  db: Database,
  { accountId, tier }: Plan,
  requested: PlanRequest & { now: Instant },
): Promise<Result<undefined>> {
  return planFits(tier, await usageOf(db, accountId, requested.now), await addedBy(db, requested));
}

/**
 * `isReturning`: an ended deployment comes back. Its resources counted toward no plan in between, although the host
 * kept its volumes.
 */
export type PlanRequest = { spec: AppSpec; deploymentId?: string; isReturning?: boolean };

/** The usage that a start or a restore adds, or an update's additional usage. */
export async function addedBy(db: Database, { spec, deploymentId, isReturning = false }: PlanRequest): Promise<Usage> {
  if (isReturning && deploymentId !== undefined)
    return usageFrom(1, amountOf(spec, await volumeSizesOfDeployment(db, deploymentId)));
  return usageFrom(deploymentId === undefined ? 1 : 0, await addedAmount(db, { spec, deploymentId }));
}
