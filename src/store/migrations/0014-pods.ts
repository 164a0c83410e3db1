/**
 * A pod's status has more to it: what it runs from, how often it was started anew. What earlier releases saw of pods
 * does not say; each deployment is looked at within half a minute of the service's start, and its pods are known then.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<{ deployments: { pods: string } }>): Promise<void> {
  await db.updateTable('deployments').set({ pods: '[]' }).execute();
}
