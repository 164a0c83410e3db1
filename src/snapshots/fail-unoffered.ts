/** Fails pending snapshots if snapshots are no longer enabled. */
import type { DeploymentEvent } from '../deployment/event/event.ts';
import type { VolumeCopies } from '../engine/volume-facets.ts';
import type { Database } from '../store/database.ts';
import { addEvents } from '../store/events.ts';
import { atOnce, makeDue } from '../store/leases.ts';
import { failRestore, openRestores } from '../store/restores.ts';
import { askedSnapshots, noteFailedTry } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import type { SnapshotParts } from './snapshot-parts.ts';

const problem = 'This service no longer takes snapshots.';

export type UnofferedParts = Pick<SnapshotParts, 'db' | 'now' | 'wake' | 'log'> & {
  /** Restores that are filled can still be swapped in. */
  copies: VolumeCopies | undefined;
};

/** Their deployments go on at once, with the words for their owners. */
export async function failUnoffered({ db, now, wake, log, copies }: UnofferedParts): Promise<void> {
  const snapshots = await askedSnapshots(db);
  const restores = (await openRestores(db)).filter(({ state }) => state === 'asked' || !copies);
  for (const { id, deploymentId, tries } of snapshots)
    await note(deploymentId, { kind: 'snapshot', snapshot: 'failed', id, because: problem, isOver: true }, (db) =>
      noteFailedTry(db, id, { tries, nextTryAt: now(), problem, isOver: true }),
    );
  for (const { id, deploymentId, snapshotId } of restores)
    await note(
      deploymentId,
      { kind: 'snapshot', snapshot: 'not-restored', id: snapshotId, because: problem, isOver: true },
      (db) => failRestore(db, id, problem, now()),
    );
  if (snapshots.length + restores.length > 0)
    log.info({ snapshots: snapshots.length, restores: restores.length }, 'no snapshots are offered any more');

  async function note(deploymentId: string, event: DeploymentEvent, end: (db: Database) => Promise<void>) {
    await write(db, { deploymentId }, async (db) => {
      await end(db);
      await addEvents(db, deploymentId, [{ at: now(), event }]);
      await makeDue(db, deploymentId, atOnce(now()));
    });
    wake(deploymentId);
  }
}
