/**
 * The disk watch measures what deployments hold, notifies owners when a volume fills up, and evicts deployments that
 * exceed their limit or that take the last free space of the host. An evicted deployment loses everything it wrote
 * outside of its volumes. Its next visit starts it again, at most three times an hour.
 */

import {
  type DiskUse,
  fastestGrowth,
  heldBytes,
  type Level,
  levelEvent,
  levelOf,
  type Overuse,
  overuses,
  shareOf,
} from '../../deployment/disk/disk-levels.ts';
import type { EventOf } from '../../deployment/event/event.ts';
import { freeOf } from '../../deployment/limits/host-budget.ts';
import type { HostDisk } from '../../engine/engine.ts';
import { runRounds } from '../../lib/rounds.ts';
import { addEvents, latestOfDisk } from '../../store/events.ts';
import { atOnce, makeDue } from '../../store/leases.ts';
import { write } from '../../store/transaction.ts';
import type { Control } from '../control.ts';
import { limitRetained } from '../limit-retained.ts';
import { addEviction } from './disk-explanation.ts';

/** A measurement of 20 volumes takes 5 ms. */
const lookEveryMs = 2_000;

/**
 * Between two measurements, only the free space is read, which takes microseconds. A loss of this size triggers a
 * measurement at once.
 */
const glanceEveryMs = 200;
const hurryBytes = 256 * 2 ** 20;

/** The space that a file system check, and the workload that starts after it, may have to write. */
const mendingBytes = 64 * 2 ** 20;

/** An attempt stops the workloads that use the volume, so this many measurements pass before the next one. */
const looksBetweenTries = 30;

/** Growth is computed over this many measurements, because a slow writer can fill a disk, too. */
const looksCompared = 15;

export type DiskWatch = Pick<Control, 'db' | 'engine' | 'metrics' | 'now' | 'wait' | 'log' | 'disk' | 'settings'> & {
  hostDisk: HostDisk;
  /** Wakes the loop for due deployments. */
  wakeAll: () => void;
};

/** Measures repeatedly until the abort. Resolves when the last measurement has ended. */
export async function watchDisk(watch: DiskWatch, stop: AbortSignal): Promise<void> {
  const { engine, wait, metrics, log } = watch;
  const look = createDiskCheck(watch);
  const free = async () => (await engine.capacity().catch(() => undefined))?.disk?.freeBytes ?? 0;
  let freeAtLook = 0;
  const common = { wait, metrics, signal: stop };
  const looks = runRounds({
    ...common,
    name: 'disk',
    everyMs: lookEveryMs,
    longestMs: 2 * lookEveryMs,
    async work() {
      try {
        await look();
      } finally {
        freeAtLook = await free();
      }
    },
    onFault: (err) => log.error({ err }, 'the disk use cannot be measured; retrying'),
  });
  // A disk can be filled in less than a second: reserving takes no writing.
  const glances = runRounds({
    ...common,
    name: 'disk-room',
    everyMs: glanceEveryMs,
    longestMs: glanceEveryMs,
    isDelayed: true,
    work: async () => void (freeAtLook - (await free()) > hurryBytes && looks.soon()),
    onFault: (err) => log.error({ err }, 'the free disk space cannot be read; trying again'),
  });
  await Promise.all([looks.ended, glances.ended]);
}

/** Returns a function that makes one measurement and remembers the previous ones. */
export function createDiskCheck(watch: DiskWatch): () => Promise<void> {
  const { engine, hostDisk, settings, disk } = watch;
  const containerBytes = settings.containerDiskBytes;
  const before: Map<string, number>[] = [];
  let looksToNextTry = 0;

  return async () => {
    const uses = await hostDisk.use();
    const tooMuch = overuses(uses, disk.wantedBy, { containerBytes });
    const { disk: room } = await engine.capacity();
    // Retained data of ended deployments is removed before running workloads are stopped.
    if (room !== undefined && freeOf(room) < settings.diskFreeBytes) {
      const forgotten = await limitRetained(watch);
      if (forgotten.length > 0) {
        watch.log.info({ forgotten }, 'removed retained data of ended deployments because the disk is nearly full');
        watch.wakeAll();
      }
    }
    const isTight = room !== undefined && freeOf(room) < settings.diskFreeBytes / 2;
    const growing = isTight && tooMuch.length === 0 ? fastestGrowth(uses, before[0] ?? new Map(), disk.wantedBy) : [];
    if (isTight) watch.log.error({ freeBytes: freeOf(room) }, 'the disk is nearly full');
    for (const overuse of [...tooMuch, ...growing]) await evict(watch, overuse);
    for (const use of uses) if (use.kind === 'volume') await tell(watch, use);
    looksToNextTry -= 1;
    const hasRoom = room === undefined || freeOf(room) > mendingBytes;
    const hasStopped = uses.some((use) => use.kind === 'volume' && use.isStopped);
    if (hasStopped && hasRoom && looksToNextTry <= 0 && !(await mend(watch))) looksToNextTry = looksBetweenTries;
    before.push(heldBytes(uses));
    if (before.length > looksCompared) before.shift();
  };
}

/**
 * Volumes are overcommitted: when one of them fills the disk, writes to the others are lost. Returns false if a volume
 * could not be repaired.
 */
async function mend(watch: DiskWatch): Promise<boolean> {
  const { db, hostDisk, disk, now, log } = watch;
  const tries = await hostDisk.mendVolumes();
  for (const { deploymentId, volume: name, fault } of tries) {
    if (fault) {
      log.error(
        { err: fault, deployment: deploymentId, volume: name },
        'volume not repaired, will be tried again in a minute',
      );
      continue;
    }
    const title = disk.wantedBy(deploymentId)?.volumes.find(({ volume }) => volume === name)?.title ?? `volume ${name}`;
    log.info({ deployment: deploymentId, volume: name }, 'volume mended');
    await tellOwner(watch, deploymentId, { kind: 'disk', disk: 'mended', volume: name, title });
    await makeDue(db, deploymentId, atOnce(now()));
  }
  return !tries.some(({ fault }) => fault);
}

/** Notifies the owner when a volume gets fuller or has space again. */
async function tell(watch: DiskWatch, use: Extract<DiskUse, { kind: 'volume' }>): Promise<void> {
  const { disk } = watch;
  const { deploymentId, volume: name } = use;
  const volume = disk.wantedBy(deploymentId)?.volumes.find(({ volume }) => volume === name);
  if (!volume) return;
  const share = shareOf(use, volume);
  const known = disk.levelOf(deploymentId, name) ?? (await reportedLevel(watch, deploymentId, name));
  const level = levelOf(share, known);
  disk.setLevel(deploymentId, name, level);
  if (level === known) return;
  await tellOwner(watch, deploymentId, levelEvent(volume, level, share));
}

/** The level last reported to the owner, from before this process started. */
async function reportedLevel({ db }: DiskWatch, deploymentId: string, name: string): Promise<Level> {
  const reported = await latestOfDisk(db, deploymentId);
  const last = reported.find((event) => event.disk === 'level' && event.volume === name);
  return last?.disk === 'level' ? last.level : 'roomy';
}

async function tellOwner({ db, now }: DiskWatch, deploymentId: string, event: EventOf<'disk'>): Promise<void> {
  await write(db, { deploymentId }, (transaction) => addEvents(transaction, deploymentId, [{ at: now(), event }]));
}

/** The row is written first. If a crash follows, the next measurement stops the workload again. */
async function evict(watch: DiskWatch, overuse: Overuse): Promise<void> {
  const { db, engine, disk, metrics, now, log } = watch;
  const { workload, because } = overuse;
  const { deploymentId, name } = workload;
  const revision = disk.wantedBy(deploymentId)?.revision;
  if (revision === undefined) return;
  const record = () => recordEviction(watch, overuse, revision);
  const fault = await record().then(
    () => undefined,
    (error: Error) => error,
  );
  metrics.evictions.inc();
  log.info({ deployment: deploymentId, workload: name, because }, 'workload evicted');
  await engine.removeOwned({ kind: 'workload', id: name, name, deploymentId });
  if (fault) {
    // The database may be on the full disk. Now there is space for the row.
    log.error({ err: fault }, 'the eviction could not be recorded before it happened; recorded after it');
    await record();
  }
  await makeDue(db, deploymentId, atOnce(now()));
}

async function recordEviction(
  { db, now }: DiskWatch,
  { workload: { deploymentId, pod, replica }, because }: Overuse,
  revision: number,
): Promise<void> {
  const at = now();
  await write(db, { deploymentId }, async (transaction) => {
    await addEviction(transaction, deploymentId, { revision, pod, replica, at, because });
    await addEvents(transaction, deploymentId, [{ at, event: { kind: 'disk', disk: 'stopped', pod, because } }]);
  });
}
