/** Admission of a start or an update: all checks in one order. */
import type { Instant } from '../../deployment/deployment.ts';
import { maximumOf } from '../../deployment/limits/deployment-maximum.ts';
import type { Budget } from '../../deployment/limits/host-budget.ts';
import type { StrangerLimits } from '../../deployment/limits/stranger-limits.ts';
import type { Result } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import type { Origin } from '../../store/origins.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import { admitStranger } from './caller-admission.ts';
import { admitToHost, exceededBounds, exceedsMaximum } from './capacity.ts';
import { admitToPlan, type Plan, type PlanRequest } from './plans.ts';

/** Contains the exceeded bounds if the configuration requests more than is ever available. */
export type Admission = Result<undefined> & { exceeded?: Bounds };

/**
 * Call it in the transaction that writes the intent, before any write: of two starts for the last place, the second
 * sees the first. Without a plan, the limits for users without an account apply. `deploymentId`: the deployment of an
 * update, which is only checked for what it adds, or of a restore.
 */
export async function admit(
  db: Database,
  {
    budget,
    strangers,
    plan,
    origin,
  }: { budget: Budget; strangers: StrangerLimits; plan: Plan | undefined; origin: Origin },
  requested: PlanRequest & { now: Instant; sessionId: string | undefined },
): Promise<Admission> {
  const max = maximumOf(budget, strangers, plan?.tier);
  // This check comes before the plan, whose error would not name the line.
  const counted = await exceededBounds(db, max, { ...requested, ofAll: false });
  if (counted) return { ...exceedsMaximum, exceeded: counted };
  const allowed = plan ? await admitToPlan(db, plan, requested) : await admitStranger(db, strangers, origin, requested);
  if (!allowed.ok) return allowed;
  const measured = await exceededBounds(db, max, { ...requested, ofAll: true });
  if (measured) return { ...exceedsMaximum, exceeded: measured };
  return await admitToHost(db, budget, requested);
}
