/** When a deployment is visited next, as far as nothing happens to it before. */
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { warnAt } from '../deployment/grace.ts';
import type { Control } from './control.ts';

/** A look at a failed deployment costs some 10 ms of the engine's time. */
const soonestMs = 1_000;

/** Visits of all that are well take so little of a processor: each costs some 4 ms. */
const msBetweenRevisits = 500;

/**
 * Those who are well are due at the same instants, so many milliseconds apart: one look for what is due serves all of them.
 * At 10,000 deployments on PostgreSQL it was half of what an idle service needs (measured).
 */
export const togetherMs = 5_000;

/** Between visits that fail. */
export const visitPauses = { firstMs: 500, longestMs: 30_000 };

/** How often who is well is visited at most; at least every `leastMs`, unless there are too many for that. */
export function revisitMsOf(deployments: number, leastMs: number): number {
  return Math.max(leastMs, deployments * msBetweenRevisits);
}

/**
 * After this time at most, or when its owner is warned of the time limit, or at that, where it comes first. After nearly three quarters of it
 * at least: what was started together is not visited together for ever.
 */
export function nextVisitAt(
  deployment: Pick<Deployment, 'expiresAt' | 'heldAt' | 'warnedOf' | 'createdAt'>,
  { now, random }: Pick<Control, 'now' | 'random'>,
  withinMs: number,
): Instant {
  const { expiresAt, heldAt } = deployment;
  const at = earlierOnGrid(now() + withinMs * (0.75 + random() / 4), withinMs);
  return expiresAt === null || heldAt !== null ? at : Math.min(at, warnAt(deployment) ?? expiresAt);
}

/** Never later: nothing is planned further ahead than `withinMs`. What comes soon is hardly moved. */
function earlierOnGrid(at: Instant, withinMs: number): Instant {
  const apartMs = Math.min(togetherMs, withinMs / 100);
  return at - (at % apartMs);
}

/** A failed pod may still come up: at first it is looked at often, then as rarely as any other. */
export function soonAt(deployment: Deployment, control: Pick<Control, 'now' | 'random' | 'settings'>): Instant {
  const { now, settings } = control;
  const failedForMs = now() - deployment.progressedAt;
  return Math.min(nextVisitAt(deployment, control, settings.resyncMs), now() + Math.max(soonestMs, failedForMs / 10));
}
