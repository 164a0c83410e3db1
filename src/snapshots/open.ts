/** The door of this layer: snapshots of deployments, where the engine can copy volumes and there is a place for them. */
import { join } from 'node:path';
import { type BackupPlace, readBackupPlace } from '../backup/backup-place.ts';
import { openRepository } from '../backup/restic.ts';
import type { Engine } from '../engine/engine.ts';
import { serializeByKey } from '../lib/concurrency.ts';
import { runRounds } from '../lib/rounds.ts';
import type { Seal } from '../lib/seal.ts';
import { wait } from '../lib/wait.ts';
import { createDuty } from '../store/duties.ts';
import type { StoreProcess } from '../store/held.ts';
import { revisionIfKept } from '../store/revisions.ts';
import { derivationOf } from '../store/seeds.ts';
import { passwordOfPlace } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import { failUnoffered, type UnofferedParts } from './fail-unoffered.ts';
import { holdDuty } from './hold-duty.ts';
import { clearCopies, type SnapshotParts } from './snapshot-parts.ts';
import { passwordOf, placeOf } from './snapshot-place.ts';
import { createSnapshotWorker, type SnapshotWorker } from './worker.ts';

export type SnapshotSettings = {
  dataDir: string;
  /** Default: a folder of the data directory, where volumes are on this machine too; on a cluster, none. */
  snapshots: BackupPlace | 'none' | undefined;
  diskFreeBytes: number;
};

export type OpenSnapshotParts = Omit<
  SnapshotParts,
  'repository' | 'startedPod' | 'engine' | 'diskFreeBytes' | 'stop'
> & {
  engine: Engine;
  seal: Seal;
  /** This process, as others on the store know it. */
  process?: StoreProcess | undefined;
};

/** Closing it aborts work in progress, which the next process starts again. */
export type OpenSnapshots = AsyncDisposable & { look(): void };

/** How often it is looked for what another process may have written. */
const pollMs = 5_000;
/** The time limit for listing, checking or removing one deployment's data, because others wait. */
const patienceMs = 30 * 60_000;
/** The holder renews within this time, or has died. */
const dutyMs = 30_000;

export function offersSnapshots(settings: Pick<SnapshotSettings, 'snapshots'>, engine: Engine): boolean {
  return engine.copies !== undefined && isPlaceKnown(settings, engine);
}

/** A process on a cluster may have its data directory for as long as its pod alone, and others have another one. */
function isPlaceKnown({ snapshots }: Pick<SnapshotSettings, 'snapshots'>, { cluster }: Engine): boolean {
  return snapshots === undefined ? cluster === undefined : snapshots !== 'none';
}

export function openSnapshots(
  settings: SnapshotSettings,
  { engine, seal, process: self, ...parts }: OpenSnapshotParts,
): OpenSnapshots {
  const { copies } = engine;
  const { snapshots, dataDir, diskFreeBytes } = settings;
  const { db, now, log } = parts;
  const duty = createDuty({ db, name: 'snapshots', forMs: dutyMs, process: self, now });
  const common = { name: 'snapshots', everyMs: pollMs, longestMs: pollMs };
  if (snapshots === 'none' || !copies || !isPlaceKnown(settings, engine)) {
    const onFault = (err: unknown) => log.error({ err }, 'left-over snapshots could not be ended; retrying');
    const rounds = runRounds({ ...common, work: endLeftOver({ ...parts, copies }, duty.take), onFault });
    return {
      look() {},
      async [Symbol.asyncDispose]() {
        await rounds[Symbol.asyncDispose]();
        await duty.leave().catch(() => {});
      },
    };
  }
  const place = snapshots ?? readBackupPlace(join(dataDir, 'snapshots'));
  const stopping = new AbortController();

  /** For as long as this process has the duty: what one does ends with it. */
  let tenure: { worker: SnapshotWorker; over: AbortSignal } | undefined;

  const begin = () => {
    const held = { renew: duty.take, forMs: dutyMs, wait, elapsed: () => performance.now(), stop: stopping.signal };
    const over = AbortSignal.any([stopping.signal, holdDuty(held)]);
    const repository = repositories(db, seal, place, over);
    const worker = createSnapshotWorker({
      ...parts,
      engine: { observe: engine.observe, copies, exec: engine.exec },
      repository,
      startedPod: (...which) => startedPod(db, seal, ...which),
      diskFreeBytes,
      stop: over,
    });
    return { worker, over };
  };

  async function work(): Promise<void> {
    if (tenure?.over.aborted !== false) tenure = begin();
    const { worker, over } = tenure;
    while (!over.aborted && (await worker.step()));
  }

  const rounds = runRounds({
    ...common,
    work,
    duty,
    onFault: (err) => log.error({ err }, 'work on snapshots failed; retrying'),
    signal: stopping.signal,
  });
  return {
    look: rounds.soon,
    async [Symbol.asyncDispose]() {
      // Aborts a snapshot that is being taken; the next process starts it again.
      stopping.abort();
      await rounds[Symbol.asyncDispose]();
    },
  };
}

async function startedPod(
  db: SnapshotParts['db'],
  seal: Seal,
  ...[deploymentId, revision, pod]: Parameters<SnapshotParts['startedPod']>
): ReturnType<SnapshotParts['startedPod']> {
  const spec = (await revisionIfKept(db, seal, deploymentId, revision))?.spec.pods.find(({ name }) => name === pod);
  return spec && { spec, derive: await derivationOf(db, seal, deploymentId) };
}

/**
 * Returns a round that fails the requested snapshots, once, and removes left-over copies of exports and backups whose
 * process was killed. `hasDuty`: false while another process takes snapshots, whose copies must stay.
 */
function endLeftOver({ copies, ...parts }: UnofferedParts, hasDuty: () => Promise<boolean>): () => Promise<void> {
  let areFailed = false;
  return async () => {
    if (!areFailed) await failUnoffered({ ...parts, copies });
    areFailed = true;
    if (copies && (await hasDuty())) await clearCopies({ ...parts, engine: { copies } });
  };
}

/** Its password is in the store, and the store may be away when the service begins. */
function repositories(
  db: SnapshotParts['db'],
  seal: Seal,
  place: BackupPlace,
  stop: AbortSignal,
): SnapshotParts['repository'] {
  const inTurn = serializeByKey();
  let password: string | undefined;
  return (deploymentId) =>
    inTurn(place.location, async () => {
      password ??= await write(db, 'all', (db) => passwordOfPlace(db, seal, place.location));
      const own = { stop, patienceMs };
      return openRepository(placeOf(place, deploymentId), passwordOf(password, deploymentId), process.env, own);
    });
}
