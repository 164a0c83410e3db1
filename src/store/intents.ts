/** What somebody wants of a deployment, as its owner reads it and the loop acts on it. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import { type Intent, writeIntent } from './deployments.ts';
import { addEvents } from './events.ts';
import { makeDue } from './leases.ts';

/** Writes the intent, its event, and that the loop is to look at the deployment: call it in a transaction. */
export async function intend(
  db: Database,
  id: string,
  intent: Intent,
  { message, now }: { message: string; now: Instant },
): Promise<void> {
  await writeIntent(db, id, intent);
  await addEvents(db, id, [{ at: now, kind: 'intent', message }]);
  await makeDue(db, id, now);
}
