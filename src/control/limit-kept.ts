/** Keeps what is kept of ended deployments within its limits: it is the first to go when the disk is short. */
import { beyondGrace, type Forgotten } from '../deployment/limits/grace-limits.ts';
import { freeOf } from '../deployment/limits/host-budget.ts';
import { deploymentsInGrace, forgetKept, isMakingRoom } from '../store/restorable-deployments.ts';
import { write } from '../store/transaction.ts';
import type { Control } from './control.ts';

/** As many as a stranger's session may have by default. */
const perOwner = 10;
/** Of the engine's disk. */
const diskShare = 0.2;

/** Returns what it has forgotten; their volumes go at their next visits. */
export async function limitKept({
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
  // Volumes may hold less than they were promised: what more has to go is known when these are gone.
  const missingBytes = shortBytes > 0 && (await isMakingRoom(db)) ? 0 : shortBytes;
  const forgotten = beyondGrace(kept, limits, missingBytes);
  for (const { id, because } of forgotten)
    await write(db, { deploymentId: id }, (db) => forgetKept(db, id, { because, now: now() }));
  return forgotten;
}
