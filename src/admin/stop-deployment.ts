/** Stops a deployment of any owner for the operator. */
import type { Kysely } from 'kysely';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { addAuditEntry } from '../store/audit-log.ts';
import type { Database } from '../store/database.ts';
import { deploymentById, deploymentByLabel } from '../store/deployments.ts';
import { intend } from '../store/intents.ts';
import { suspect } from '../store/origins.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';
import { type Affected, countAffected } from './affected.ts';

type StopOptions = { reason: string; actor: string; now: Instant };

export type Stoppable = { id: string; applicationName: string; hasEnded: boolean; affected: Affected };

/** Returns what `stop` would stop. `which`: an id, or the first label of the host name. Undefined if no deployment matches. */
export async function findStoppable(db: Kysely<Tables>, which: string): Promise<Stoppable | undefined> {
  const deployment = await findDeployment(db, which);
  if (!deployment) return undefined;
  const { id, applicationName } = deployment;
  const affected = countAffected([await suspect(db, id)]);
  return { id, applicationName, hasEnded: hasEnded(deployment), affected };
}

/** `which`: an id, or the first label of the host name. Undefined if no deployment matches. The site and data are removed within a minute. */
export async function stop(
  db: Kysely<Tables>,
  { which, ...asked }: StopOptions & { which: string },
): Promise<{ id: string; isNews: boolean } | undefined> {
  return await write(db, 'all', async (db) => {
    const deployment = await findDeployment(db, which);
    if (!deployment) return undefined;
    const { id } = deployment;
    const isNews = !hasEnded(deployment);
    if (isNews) await stopDeployment(db, { id, ...asked });
    return { id, isNews };
  });
}

/** Writes the intent, its reason for the owner, and the entry of the audit log. */
export async function stopDeployment(
  db: Database,
  { id, reason, actor, now }: StopOptions & { id: string },
): Promise<void> {
  const event = { kind: 'intent', intent: 'stop', because: reason } as const;
  await intend(db, id, { removedAt: now, heldAt: null, restorableUntil: null, suspendedAt: null }, { event, now });
  await addAuditEntry(db, { at: now, actor, action: 'stop', subject: id, reason });
}

/** `which`: an id, or the first part of its host. */
export async function findDeployment(db: Database, which: string): Promise<Deployment | undefined> {
  return (await deploymentById(db, which)) ?? (await deploymentByLabel(db, which));
}

/** Everything has been stopped. Data retained for a restore stays. */
function hasEnded({ removedAt, restorableUntil, goneAt }: Deployment): boolean {
  return goneAt !== null || (removedAt !== null && restorableUntil === null);
}
