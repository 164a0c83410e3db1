/** The time of the next visit to a deployment, if nothing happens before. */
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { warnAt } from '../deployment/grace.ts';
import type { Control } from './control.ts';

/** A visit to a failed deployment takes the engine some 10 ms. */
const soonestMs = 1_000;

/** Bounds the processor time of visits to healthy deployments: each takes some 4 ms. */
const msBetweenRevisits = 500;

/**
 * Healthy deployments become due at multiples of this interval, so that one query finds many of them. At 10,000
 * deployments on PostgreSQL, single queries were half of the load of an idle service (measured).
 */
export const togetherMs = 5_000;

/** Pauses between failing visits. */
export const visitPauses = { firstMs: 500, longestMs: 30_000 };

/** Returns the interval of visits to healthy deployments: `minMs`, or longer if there are many deployments. */
export function revisitMsOf(deployments: number, minMs: number): number {
  return Math.max(minMs, deployments * msBetweenRevisits);
}

/**
 * Returns a random time within the last quarter of `withinMs`, so that deployments that started together spread out; or
 * the time of the warning about the time limit, or the time limit, if it is earlier.
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

/** Rounds down, so that no visit is later than `withinMs`. Short intervals are hardly rounded. */
function earlierOnGrid(at: Instant, withinMs: number): Instant {
  const apartMs = Math.min(togetherMs, withinMs / 100);
  return at - (at % apartMs);
}

/** A failed pod may still become ready: it is visited often at first, and then less and less. */
export function soonAt(deployment: Deployment, control: Pick<Control, 'now' | 'random' | 'settings'>): Instant {
  const { now, settings } = control;
  const failedForMs = now() - deployment.progressedAt;
  return Math.min(nextVisitAt(deployment, control, settings.resyncMs), now() + Math.max(soonestMs, failedForMs / 10));
}
