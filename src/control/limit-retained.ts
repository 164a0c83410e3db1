/** Limits the retained data of ended deployments, which is the first to be removed when the disk is full. */
import { beyondGrace, type Forgotten } from '../deployment/limits/grace-limits.ts';
import { freeOf } from '../deployment/limits/host-budget.ts';
import { deploymentsInGrace, discardRetainedData, isMakingRoom } from '../store/restorable-deployments.ts';
import { write } from '../store/transaction.ts';
import type { Control } from './control.ts';

/** Equals the default limit of a stranger's session. */
const perOwner = 10;
/** Share of the engine's disk. */
const diskShare = 0.2;

/** Returns the deployments whose data is no longer kept. Their next visits remove the volumes. */
export async function limitRetained({
  db,
  engine,
  now,
  settings,
}: Pick<Control, 'db' | 'engine' | 'now' | 'settings'>): Promise<Forgotten[]> {
  const kept = await deploymentsInGrace(db);
  if (kept.length === 0) return [];
  const { disk } = await engine.capacity();
  const limits = {
    perOwner,
    diskBytes: disk ? (disk.usedBytes + disk.freeBytes) * diskShare : Number.POSITIVE_INFINITY,
  };
  const shortBytes = disk ? Math.max(0, settings.diskFreeBytes - freeOf(disk)) : 0;
  // Volumes may be smaller than their limit, so the rest to remove is only known once these are gone.
  const missingBytes = shortBytes > 0 && (await isMakingRoom(db)) ? 0 : shortBytes;
  const forgotten = beyondGrace(kept, limits, missingBytes);
  for (const { id, because } of forgotten)
    await write(db, { deploymentId: id }, (db) => discardRetainedData(db, id, { because, now: now() }));
  return forgotten;
}
