/** PURE. Grace: the data of an ended deployment is kept for a time, in which it can be restored. */
import { type Result, refuse, succeed } from '../lib/problem.ts';
import { type Deployment, type Instant, isPastLimit, type Limits } from './deployment.ts';
import type { EventOf } from './event/event.ts';

/** The minimum lifetime of a restored deployment: enough to claim it, or to export its data. */
export const minRestoredMs = 10 * 60_000;

/**
 * Returns the time until which the data of an ended deployment is kept. Null if it is not kept. For a deployment that
 * has just reached its limit, the time begins now. Neither a wrong clock nor a longer setting in the past extends it
 * beyond the current setting.
 */
export function keptUntil(deployment: Deployment, now: Instant, graceMs: number): Instant | null {
  const { removedAt, state, restorableUntil, goneAt } = deployment;
  if (goneAt !== null) return null;
  const hasJustExpired = removedAt === null && state !== 'expired' && isPastLimit(deployment, now);
  const until = hasJustExpired ? now + graceMs : Math.min(restorableUntil ?? now, now + graceMs);
  return until > now ? until : null;
}

/**
 * How long before the time limit its owner is warned. This is enough time to extend or claim it, or to export its data.
 */
const warnedBeforeMs = 10 * 60_000;

/**
 * Returns when the owner is warned of the time limit; null: no warning is due, or the limit was near from the
 * beginning.
 */
export function warnAt({
  expiresAt,
  heldAt,
  warnedOf,
  createdAt,
}: Pick<Deployment, 'expiresAt' | 'heldAt' | 'warnedOf' | 'createdAt'>): Instant | null {
  if (expiresAt === null || heldAt !== null || warnedOf === expiresAt) return null;
  const at = expiresAt - warnedBeforeMs;
  return at > createdAt ? at : null;
}

/** Returns the event for a deployment that was removed or has expired. */
export function endEvent(because: 'removed' | 'expired', until: Instant | null): EventOf<'state'> {
  const kept = until === null ? {} : { restorableUntil: new Date(until).toISOString() };
  return { kind: 'state', state: 'expired', because, ...kept };
}

export type Restored = { expiresAt: Instant | null; extensionsUsed: number };

/**
 * Returns the new time limit of a deployment that is restored at `now`: the time that was left at its removal, at least
 * `minRestoredMs`. A restore counts as an extension and is possible once more without one, so it prolongs the total
 * lifetime by at most `minRestoredMs` each time.
 */
export function restore(deployment: Deployment, limits: Limits, now: Instant): Result<Restored> {
  const { applicationName: name, expiresAt, extensionsUsed, removedAt } = deployment;
  if (expiresAt === null) return succeed({ expiresAt, extensionsUsed });
  if (extensionsUsed > limits.extensions)
    return refuse(
      'extension_limit_reached',
      `Application ${name} has no extensions left, and has already been restored without one.`,
      'Start it as a new deployment. Claim that deployment to let it run longer.',
    );
  const leftMs = removedAt === null ? 0 : expiresAt - removedAt;
  return succeed({ expiresAt: now + Math.max(leftMs, minRestoredMs), extensionsUsed: extensionsUsed + 1 });
}
