/** Suspends a deployment, which keeps its volumes, revisions and logs as evidence, and ends a suspension. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { endingAt } from '../deployment/desired.ts';
import { beginAgain } from '../deployment/stops.ts';
import { limitAfterSuspension } from '../deployment/suspension.ts';
import { addAuditEntry } from '../store/audit-log.ts';
import { intend } from '../store/intents.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';
import { findDeployment } from './stop-deployment.ts';

type SuspendOptions = { which: string; actor: string; now: Instant };

/** `unchanged`: it is suspended already, or is not suspended. */
export type Suspension = { id: string; kind: 'changed' | 'unchanged' | 'ended' };

/** `which`: an id, or the first label of the host name. Undefined if no deployment matches. */
export async function suspend(
  db: Kysely<Tables>,
  { which, reason, actor, now }: SuspendOptions & { reason: string },
): Promise<Suspension | undefined> {
  return await write(db, 'all', async (db): Promise<Suspension | undefined> => {
    const deployment = await findDeployment(db, which);
    if (!deployment) return undefined;
    const { id, suspendedAt } = deployment;
    if (suspendedAt !== null) return { id, kind: 'unchanged' };
    if (endingAt(deployment, now)) return { id, kind: 'ended' };
    const event = { kind: 'intent', intent: 'suspend', because: reason } as const;
    await intend(db, id, { suspendedAt: now, suspendedBecause: reason, pods: '[]' }, { event, now });
    await addAuditEntry(db, { at: now, actor, action: 'suspend', subject: id, reason });
    return { id, kind: 'changed' };
  });
}

/**
 * Starts the deployment again, unless its owner has stopped it. The suspension does not count toward its time limit.
 */
export async function unsuspend(
  db: Kysely<Tables>,
  { which, actor, now }: SuspendOptions,
): Promise<Suspension | undefined> {
  return await write(db, 'all', async (db): Promise<Suspension | undefined> => {
    const deployment = await findDeployment(db, which);
    if (!deployment) return undefined;
    const { id, suspendedAt } = deployment;
    if (suspendedAt === null) return { id, kind: 'unchanged' };
    const {
      lastLines,
      restarts: _,
      pods: __,
      ...begun
    } = deployment.stoppedAt === null ? beginAgain(deployment, now) : {};
    const free = {
      pods: '[]',
      ...(lastLines && { lastLines: JSON.stringify(lastLines) }),
      suspendedAt: null,
      suspendedBecause: null,
      expiresAt: limitAfterSuspension(deployment, now),
    };
    await intend(db, id, { ...begun, ...free }, { event: { kind: 'intent', intent: 'unsuspend' }, now });
    await addAuditEntry(db, { at: now, actor, action: 'unsuspend', subject: id, reason: '' });
    return { id, kind: 'changed' };
  });
}
