/** Stopping a deployment that has to go, whoever's it is. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { addAuditEntry } from '../store/audit-log.ts';
import type { Database } from '../store/database.ts';
import { deploymentById, deploymentByLabel } from '../store/deployments.ts';
import { intend } from '../store/intents.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';

type Asked = { reason: string; actor: string; now: Instant };

/** `which`: an id, or the first part of its host. Undefined where there is none; its site and data go within a minute. */
export async function stop(
  db: Kysely<Tables>,
  { which, ...asked }: Asked & { which: string },
): Promise<{ id: string; isNews: boolean } | undefined> {
  return await write(db, 'all', async (db) => {
    const deployment = (await deploymentById(db, which)) ?? (await deploymentByLabel(db, which));
    if (!deployment) return undefined;
    const { id, removedAt, restorableUntil, goneAt } = deployment;
    const isNews = goneAt === null && (removedAt === null || restorableUntil !== null);
    if (isNews) await stopDeployment(db, { id, ...asked });
    return { id, isNews };
  });
}

/** Writes the intent, its reason for the owner, and the entry of the audit log. */
export async function stopDeployment(db: Database, { id, reason, actor, now }: Asked & { id: string }): Promise<void> {
  const event = { kind: 'intent', intent: 'stop', because: reason } as const;
  await intend(db, id, { removedAt: now, heldAt: null, restorableUntil: null }, { event, now });
  await addAuditEntry(db, { at: now, actor, action: 'stop', subject: id, reason });
}
