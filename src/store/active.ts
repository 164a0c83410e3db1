/**
 * Conditions of queries for deployments that are active at an instant: the rules of `deployment/deployment.ts`. A test
 * compares both.
 */
import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { Tables } from './rows.ts';

const row = expressionBuilder<Tables, 'deployments'>();

/** See `isActive`. */
export function isActiveAt(now: Instant): Expression<SqlBool> {
  return row.and([hasNotEnded, row.not(isPastLimitAt(now))]);
}

/** Past its time limit (as `isPastLimit`) and not ended yet. */
export function isToExpireAt(now: Instant): Expression<SqlBool> {
  return row.and([hasNotEnded, isPastLimitAt(now)]);
}

const hasNotEnded = row.and([row('deployments.removedAt', 'is', null), row('deployments.state', '!=', 'expired')]);

function isPastLimitAt(now: Instant): Expression<SqlBool> {
  return row.and([
    row('deployments.heldAt', 'is', null),
    row('deployments.suspendedAt', 'is', null),
    row('deployments.expiresAt', 'is not', null),
    row('deployments.expiresAt', '<=', now),
  ]);
}
