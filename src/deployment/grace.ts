/** PURE. Grace: what has ended is kept for a time, in which it can be brought back. */
import { type Result, refuse, succeed } from '../lib/problem.ts';
import { type Deployment, type Instant, isPastLimit, type Limits } from './deployment.ts';
import type { EventOf } from './event/event.ts';

/** The least time that a restored deployment has: enough to claim it, or to fetch what is in it. */
export const leastRestoredMs = 10 * 60_000;

/**
 * Until when what a deployment that has ended had is kept, as it is to be at `now`; null: no longer. One that has just
 * reached its limit is kept from now on. A clock that was ahead when it ended, or a grace that was longer, keeps nothing
 * for longer than the grace of now.
 */
export function keptUntil(deployment: Deployment, now: Instant, graceMs: number): Instant | null {
  const { removedAt, state, restorableUntil, goneAt } = deployment;
  if (goneAt !== null) return null;
  const hasJustExpired = removedAt === null && state !== 'expired' && isPastLimit(deployment, now);
  const until = hasJustExpired ? now + graceMs : Math.min(restorableUntil ?? now, now + graceMs);
  return until > now ? until : null;
}

/** Enough to extend or claim it, or to fetch what is in it. */
const warnedBeforeMs = 10 * 60_000;

/** When the owner is to be warned of the time limit; null: not (any more), or it was near from the beginning. */
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

/** What is told of an end. */
export function endEvent(because: 'removed' | 'expired', until: Instant | null): EventOf<'state'> {
  const kept = until === null ? {} : { restorableUntil: new Date(until).toISOString() };
  return { kind: 'state', state: 'expired', because, ...kept };
}

export type Restored = { expiresAt: Instant | null; extensionsUsed: number };

/**
 * How long a deployment lives that is restored at `now`: what was left when it was removed, and `leastRestoredMs` at
 * least. With a time limit that counts as an extension, and is possible once more when none is left: so nobody lives
 * longer than lifetime and extensions give, but for `leastRestoredMs` each time.
 */
export function restore(deployment: Deployment, limits: Limits, now: Instant): Result<Restored> {
  const { applicationName: name, expiresAt, extensionsUsed, removedAt } = deployment;
  if (expiresAt === null) return succeed({ expiresAt, extensionsUsed });
  if (extensionsUsed > limits.extensions)
    return refuse(
      'extension_limit_reached',
      `Application ${name} has no extensions left, and has already been restored without one.`,
      'Start it as a new deployment; to run longer, it has to be claimed.',
    );
  const leftMs = removedAt === null ? 0 : expiresAt - removedAt;
  return succeed({ expiresAt: now + Math.max(leftMs, leastRestoredMs), extensionsUsed: extensionsUsed + 1 });
}
