/** Intents of users for a deployment: its owner reads them, and the loop acts on them. */
import type { Instant } from '../deployment/deployment.ts';
import type { EventOf } from '../deployment/event/event.ts';
import { endEvent } from '../deployment/grace.ts';
import type { Database } from './database.ts';
import { type Intent, pastLimitOfName, writeIntent } from './deployments.ts';
import { addEvents } from './events.ts';
import { atOnce, makeDue } from './leases.ts';

/** Writes the intent, its event, and that the loop is to look at the deployment: call it in a transaction. */
export async function intend(
  db: Database,
  id: string,
  intent: Intent,
  { event, now }: { event: EventOf<'intent'>; now: Instant },
): Promise<void> {
  await writeIntent(db, id, intent);
  await addEvents(db, id, [{ at: now, event }]);
  await makeDue(db, id, atOnce(now));
}

/**
 * Ends a session's deployments of a name that are past their time limit, before the loop does. The name is then free,
 * and stays so if the clock is set back. Call it in a transaction.
 */
export async function endPastLimit(
  db: Database,
  {
    sessionId,
    applicationName,
    now,
    graceMs,
  }: { sessionId: string; applicationName: string; now: Instant; graceMs: number },
): Promise<void> {
  const restorableUntil = graceMs > 0 ? now + graceMs : null;
  for (const id of await pastLimitOfName(db, sessionId, applicationName, now)) {
    const explanation = { kind: 'ended', because: 'expired' } as const;
    await writeIntent(db, id, { state: 'expired', explanation, restorableUntil });
    await addEvents(db, id, [{ at: now, event: endEvent('expired', restorableUntil) }]);
    await makeDue(db, id, atOnce(now));
  }
}
