/** The door of this layer: snapshots of deployments, where the engine can copy volumes and there is a place for them. */
import { join } from 'node:path';
import { type BackupPlace, readBackupPlace } from '../backup/backup-place.ts';
import { openRepository, type Repository } from '../backup/restic.ts';
import type { Engine } from '../engine/engine.ts';
import { serializeByKey } from '../lib/concurrency.ts';
import type { Seal } from '../lib/seal.ts';
import { wait } from '../lib/wait.ts';
import { leaveDuties, takeDuty } from '../store/duties.ts';
import { nameOfHeld } from '../store/held.ts';
import { passwordOfPlace } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import type { SnapshotParts } from './snapshot-parts.ts';
import { createSnapshotWorker } from './worker.ts';

export type SnapshotSettings = {
  dataDir: string;
  /** Default: a folder of the data directory. */
  snapshots: BackupPlace | 'none' | undefined;
  diskFreeBytes: number;
};

export type OpenSnapshotParts = Omit<SnapshotParts, 'repository' | 'engine' | 'diskFreeBytes' | 'stop'> & {
  engine: Engine;
  seal: Seal;
  /** This process, as others on the store know it. */
  process?: { id: string; isSeen(): boolean } | undefined;
};

/** Closing it ends what is under way, which the next process begins anew. */
export type OpenSnapshots = AsyncDisposable & { look(): void };

/** How often it is looked for what another process may have written. */
const pollMs = 5_000;
/** Whoever does it for all comes back in this time, or has died. */
const dutyMs = 30_000;

export function offersSnapshots({ snapshots }: Pick<SnapshotSettings, 'snapshots'>, { copies }: Engine): boolean {
  return snapshots !== 'none' && copies !== undefined;
}

export function openSnapshots(
  settings: SnapshotSettings,
  { engine, seal, process: self, ...parts }: OpenSnapshotParts,
): OpenSnapshots {
  const { copies } = engine;
  const { snapshots: place, dataDir, diskFreeBytes } = settings;
  if (place === 'none' || !copies) return { look() {}, async [Symbol.asyncDispose]() {} };
  const { db, now, log } = parts;
  const stopping = new AbortController();
  const repository = openOnce(db, seal, place ?? readBackupPlace(join(dataDir, 'snapshots')), stopping.signal);
  const worker = createSnapshotWorker({
    ...parts,
    engine: { observe: engine.observe, copies },
    ...{ repository, diskFreeBytes, stop: stopping.signal },
  });
  const duty = { name: 'snapshots', holder: nameOfHeld(self?.isSeen() ? self.id : undefined), forMs: dutyMs };
  let rouse = () => {};

  async function work(): Promise<void> {
    const ended = new AbortController();
    void keepDuty(ended.signal);
    try {
      while (!stopping.signal.aborted && (await worker.step()));
    } finally {
      ended.abort();
    }
  }

  /** A piece of work takes as long as data take to be moved. */
  async function keepDuty(signal: AbortSignal): Promise<void> {
    for (;;) {
      await wait(dutyMs / 3, signal);
      if (signal.aborted) return;
      await takeDuty(db, { ...duty, now: now() }).catch(() => {});
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const roused = new Promise<void>((resolve) => {
        rouse = resolve;
      });
      try {
        if (await takeDuty(db, { ...duty, now: now() })) await work();
      } catch (error) {
        log.error({ err: error }, 'the work on snapshots failed, will be tried again');
      }
      const timer = new AbortController();
      await Promise.race([roused, wait(pollMs, AbortSignal.any([timer.signal, stopping.signal]))]);
      timer.abort();
    }
  }

  const running = run();
  return {
    look: () => rouse(),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      rouse();
      await running;
      await leaveDuties(db, duty.holder).catch(() => {});
    },
  };
}

/** Its password is in the store, and the store may be away when the service begins. */
function openOnce(
  db: SnapshotParts['db'],
  seal: Seal,
  place: BackupPlace,
  stop: AbortSignal,
): () => Promise<Repository> {
  const inTurn = serializeByKey();
  let opened: Repository | undefined;
  return () =>
    inTurn(place.location, async () => {
      if (opened) return opened;
      const password = await write(db, 'all', (db) => passwordOfPlace(db, seal, place.location));
      opened = openRepository(place, password, process.env, stop);
      return opened;
    });
}
