/** Deployments that somebody counts on: they have no time limit that ends them. */
import type { Database } from './database.ts';
import { volumeSizesOfDeployment } from './revisions.ts';

/** Those that have volumes, each with how large these are to be. */
export async function keptDeployments(db: Database): Promise<{ id: string; volumes: string[] }[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('id')
    .where('goneAt', 'is', null)
    .where('removedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('claimedAt', 'is not', null), eb('heldAt', 'is not', null)]))
    .orderBy('id')
    .execute();
  const found = [];
  for (const { id } of rows) {
    const volumes = [...(await volumeSizesOfDeployment(db, id)).keys()];
    if (volumes.length > 0) found.push({ id, volumes: volumes.sort() });
  }
  return found;
}
