/** PURE. Suspension: the operator stops a deployment and keeps everything of it, until the operator ends that. */
import { type Result, refuse, succeed } from '../lib/problem.ts';
import type { Deployment, Instant } from './deployment.ts';

type Suspended = Pick<Deployment, 'applicationName' | 'suspendedAt' | 'suspendedBecause'>;

/** The text that the status shows to the owner. */
export function describeSuspension({ suspendedBecause }: Pick<Suspended, 'suspendedBecause'>): string {
  return `suspended by the operator: ${suspendedBecause ?? ''}`;
}

/** The owner of a suspended application can read it and cannot change it. */
export function refuseSuspended(deployment: Suspended): Result<undefined> {
  if (deployment.suspendedAt === null) return succeed(undefined);
  return refuse(
    'application_suspended',
    `Application ${deployment.applicationName} is ${describeSuspension(deployment)}.`,
    'Only the operator of this service can end the suspension.',
  );
}

/** The time limit after a suspension: the time of the suspension does not count. Null: none. */
export function limitAfterSuspension(
  { expiresAt, suspendedAt }: Pick<Deployment, 'expiresAt' | 'suspendedAt'>,
  now: Instant,
): Instant | null {
  if (expiresAt === null || suspendedAt === null) return expiresAt;
  return expiresAt + Math.max(0, now - suspendedAt);
}
