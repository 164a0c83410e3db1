/** Deployments that are exempt from the time limit. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import { volumeSizesOfDeployment } from './revisions.ts';

/** `stoppedAt`: when it was stopped or suspended; null while it is to run. */
export type KeptDeployment = { id: string; volumes: string[]; stoppedAt: Instant | null };

/** Deployments with volumes, each with the sizes of these. */
export async function keptDeployments(db: Database): Promise<KeptDeployment[]> {
  const rows = await db
    .selectFrom('deployments')
    .select((eb) => ['id', eb.fn.coalesce('stoppedAt', 'suspendedAt').as('stoppedAt')])
    .where('goneAt', 'is', null)
    .where('removedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('claimedAt', 'is not', null), eb('heldAt', 'is not', null)]))
    .orderBy('id')
    .execute();
  const found = [];
  for (const { id, stoppedAt } of rows) {
    const volumes = [...(await volumeSizesOfDeployment(db, id)).keys()];
    if (volumes.length > 0) found.push({ id, volumes: volumes.sort(), stoppedAt });
  }
  return found;
}
