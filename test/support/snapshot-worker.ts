/** The snapshot worker for a control's deployments in tests. */
import type { Repository } from '../../src/backup/restic.ts';
import type { Control } from '../../src/control/control.ts';
import { type SnapshotTerms, snapshotTermsOf } from '../../src/deployment/snapshot/snapshot.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Exec } from '../../src/engine/exec.ts';
import type { SnapshotParts } from '../../src/snapshots/snapshot-parts.ts';
import { createSnapshotWorker, type SnapshotWorker } from '../../src/snapshots/worker.ts';

/** `place`: one for all deployments, or the place of each. Default: no schedule, and no notifications. */
export type WorkerWanted = Partial<Pick<SnapshotParts, 'stop' | 'mailOwner'>> & {
  engine: Pick<Engine, 'observe' | 'copies'> & { exec?: Exec | undefined };
  place: Repository | SnapshotParts['repository'];
  terms?: Partial<SnapshotTerms>;
};

export function workerOn(
  { db, metrics, log, now }: Control,
  { engine: { observe, copies, exec }, place, terms, ...parts }: WorkerWanted,
): SnapshotWorker {
  return createSnapshotWorker({
    db,
    metrics,
    log,
    now,
    diskFreeBytes: 0,
    wake() {},
    stop: new AbortController().signal,
    engine: { observe, copies: copies!, exec },
    repository: typeof place === 'function' ? place : async () => place,
    startedPod: async () => undefined,
    termsOf: async () => ({ ...snapshotTermsOf({}, true), everyMs: null, ...terms, accountId: undefined }),
    ...parts,
  });
}
