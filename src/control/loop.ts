/**
 * The control loop: finds due deployments and visits them, several at a time. Everything that happens to a deployment
 * (start, update, expiry, removal, repair, recovery after a crash) is a visit.
 */
import type { Instant } from '../deployment/deployment.ts';
import { metricsRetentionMs } from '../deployment/metrics/deployment-metrics.ts';
import { describeHold } from '../deployment/quarantine/sweep-hold.ts';
import { hashListed } from '../deployment/workload/workload.ts';
import { runRounds } from '../lib/rounds.ts';
import { deleteOldChallenges } from '../store/acme.ts';
import type { Database } from '../store/database.ts';
import { deleteRemovedDeployments } from '../store/deployments.ts';
import { deleteReleasedDomains } from '../store/domains.ts';
import { createDuty, releaseHeldBy } from '../store/duties.ts';
import { deleteOldIdempotencyKeys } from '../store/idempotency.ts';
import { makeDueIfSettled, nextDueAt, settledHashes, spreadVisits } from '../store/leases.ts';
import { deleteOldLogins } from '../store/logins.ts';
import { touchUsed } from '../store/pulled-images.ts';
import { nextEpoch, readEpoch } from '../store/quarantine.ts';
import { deleteEmptySessions } from '../store/sessions.ts';
import { deleteOldSignIns } from '../store/sign-ins.ts';
import { deleteSpentProofs } from '../store/spent-proofs.ts';
import { deleteOldMetrics } from '../store/stored-metrics.ts';
import { createAttention, type ListedObjects } from './attention.ts';
import { clearImages, clearPushedCopies } from './clear-images.ts';
import type { Control } from './control.ts';
import { watchDisk } from './disk/watch-disk.ts';
import { limitRetained } from './limit-retained.ts';
import { revisitMsOf } from './schedule.ts';
import { type Swept, sweep } from './sweep.ts';
import { createVisits } from './visits.ts';

/** While all slots are taken, due deployments wait and do not keep the loop busy. */
const shortestPauseMs = 5;

export type Loop = {
  /** Visits the deployment now, because its intent has changed. */
  wake(deploymentId: string): void;
  /** Visits the deployments of a dead process now. */
  takeOverFrom(holder: string): void;
  /** Ends all visits at their next safe point. Resolves when they have ended. */
  stop(): Promise<void>;
};

export function startLoop(control: Control): Loop {
  const { db, engine, log, metrics, now, wait, random } = control;
  /** A copy: the interval of visits to unchanged deployments depends on their number. */
  const settings = { ...control.settings };
  const stopping = new AbortController();
  const tidying = createTidying(control);
  const visits = createVisits({ ...control, settings }, stopping.signal, {
    onPlace: () => wakeAll(),
    onEnd: tidying.visited,
  });
  const common = { wait, random, metrics, signal: stopping.signal };

  let lookedAt = now();
  let untilDueMs = 0;
  const looks = runRounds({
    ...common,
    name: 'visits',
    everyMs: () => untilDueMs,
    async work() {
      untilDueMs = settings.pollMs;
      // Visits that were planned before the clock was set back would be late.
      if (lookedAt - now() > settings.resyncMs)
        await spreadVisits(db, { now: now(), spreadMs: settings.resyncMs, random });
      lookedAt = now();
      await visits.begin();
      const dueAt = (await nextDueAt(db)) ?? Number.POSITIVE_INFINITY;
      untilDueMs = Math.max(shortestPauseMs, Math.min(settings.pollMs, dueAt - now()));
    },
    onFault: (err) => log.error({ err }, 'The loop cannot begin visits; retrying'),
  });
  function wakeAll(): void {
    looks.soon();
  }

  let lastHousekeepingAt: Instant | undefined;
  const duty = createDuty({ db, name: 'tidy', forMs: 3 * settings.resyncMs, process: control.process, now });
  /** Separate from visits, because removing an image of several gigabytes takes seconds. */
  const tidies = runRounds({
    ...common,
    name: 'tidy',
    everyMs: settings.resyncMs,
    async work() {
      control.epoch.value = await readEpoch(db);
      if (!(await duty.take())) return;
      const forgotten = await limitRetained(control);
      if (forgotten.length > 0) log.info({ forgotten }, 'removed retained data of ended deployments');
      const { changed, swept, present } = await tidying.tidy();
      settings.revisitMs = revisitMsOf(present, control.settings.revisitMs);
      if (changed.length + forgotten.length > 0) wakeAll();
      reportSweep(swept, log);
      if (hasPassed(lastHousekeepingAt, housekeepingEveryMs, now())) {
        await runHousekeeping(db, now());
        // After the sweep, which has compared the earlier epoch with the engine.
        control.epoch.value = await nextEpoch(db);
        lastHousekeepingAt = now();
      }
      const copies = await clearPushedCopies(control);
      if (copies.length > 0) log.info({ copies }, 'removed copies of images that are no longer referenced');
      const cleared = await clearImages({ ...control, maxUsed: settings.imageDiskShare });
      if (cleared.length > 0) log.info({ cleared }, 'removed unused images because the disk was too full');
    },
    onFault: (err) => log.error({ err }, 'survey and sweep failed, will be tried again'),
  });

  engine.watch((deploymentId) => {
    if (visits.tell(deploymentId)) return;
    void makeDueIfSettled(db, [deploymentId], now())
      .then(wakeAll)
      .catch((error) => log.error({ err: error }, 'engine event lost; the survey will see it'));
  }, stopping.signal);
  const { disk: hostDisk } = engine;
  const watching = hostDisk && watchDisk({ ...control, hostDisk, wakeAll }, stopping.signal);

  return {
    wake(deploymentId) {
      visits.interrupt(deploymentId);
      wakeAll();
    },
    takeOverFrom(holder) {
      void releaseHeldBy(db, holder, now())
        .then(wakeAll)
        .catch((error) => log.error({ err: error }, 'leases of a dead process could not be taken over; they expire'));
    },
    async stop() {
      stopping.abort();
      await Promise.all([looks.ended, tidies.ended, watching]);
      await visits.ended();
      await duty.leave().catch(() => {});
    },
  };
}

function reportSweep({ removed, stopped, entered, begunHold }: Swept, log: Control['log']): void {
  const names = (owned: Swept['removed']) => owned.map(({ name }) => name);
  if (begunHold)
    log.warn(
      begunHold,
      `The sweep is on hold: ${describeHold(begunHold)} Nothing is removed until you run \`berth admin orphans --accept\``,
    );
  if (entered.length > 0)
    log.warn(
      { deployments: entered },
      'The engine has deployments that are missing from the database. They are in quarantine; run `berth admin orphans`',
    );
  if (stopped.length > 0) log.warn({ stopped: names(stopped) }, 'workloads in quarantine stopped');
  if (removed.length > 0) log.info({ removed: names(removed) }, 'orphans removed');
}

/** Returns whether `ms` have passed, also if the clock was set back. */
function hasPassed(since: Instant | undefined, ms: number, now: Instant): boolean {
  return since === undefined || now < since || now - since >= ms;
}

/** Housekeeping: removes outdated rows and records which images are in use. It reads many rows and is not urgent. */

/** Takes 50 ms with 10,000 deployments. */
const housekeepingEveryMs = 10 * 60_000;

/** The time after which rows of ended deployments are deleted. Until then, a page reports the end. */
const deleteAfterMs = 30 * 24 * 60 * 60_000;

/** Removes old rows and records which images are in use, so that the least recently used ones are removed first. */
export async function runHousekeeping(db: Database, now: Instant): Promise<void> {
  await deleteRemovedDeployments(db, now - deleteAfterMs);
  await deleteEmptySessions(db, now - deleteAfterMs);
  await deleteOldIdempotencyKeys(db, now);
  await deleteSpentProofs(db, now);
  await deleteOldLogins(db, now);
  await deleteOldChallenges(db, now);
  await deleteReleasedDomains(db, now);
  await deleteOldSignIns(db, now);
  await deleteOldMetrics(db, now - metricsRetentionMs);
  await touchUsed(db, now);
}

/**
 * Tidying: one listing of the whole engine shows which deployments to visit and which objects to remove. The cost
 * depends on the number of changes, not on the number of objects.
 */

type Tidied = {
  /** Ids of deployments that became due. */
  changed: string[];
  swept: Swept;
  /** The number of deployments with objects on the engine. */
  present: number;
};

type Tidying = {
  tidy(): Promise<Tidied>;
  /** A visit to the deployment has ended. */
  visited(deploymentId: string): void;
};

export function createTidying(control: Pick<Control, 'db' | 'engine' | 'metrics' | 'now' | 'settings'>): Tidying {
  const attention = createAttention(control.db);
  return {
    visited: attention.chooseNext,
    async tidy() {
      // The engine is listed first: the row of an object is written before the object, so a new object is never treated
      // as an orphan.
      const owned = await control.engine.listOwned();
      const things = Map.groupBy(owned, ({ deploymentId }) => deploymentId);
      try {
        const ids = await attention.choose(things);
        const changed = await survey(control, things, ids);
        const swept = await sweep({ ...control, graceMs: control.settings.graceMs }, things, ids);
        // The deployments are chosen again until their objects are removed.
        for (const { deploymentId } of swept.removed) attention.chooseNext(deploymentId);
        for (const deploymentId of swept.held) attention.chooseNext(deploymentId);
        return { changed, swept, present: things.size };
      } catch (error) {
        attention.chooseAllNext();
        throw error;
      }
    },
  };
}

/**
 * The survey: one listing of the whole engine shows which deployments differ from their last visit. Unchanged
 * deployments need no visit. Events of the engine arrive sooner but may be missed.
 */

/** Makes changed deployments due and returns their ids. */
async function survey(
  { db, now }: Pick<Control, 'db' | 'now'>,
  things: ListedObjects,
  ids: Iterable<string>,
): Promise<string[]> {
  const hashes = await settledHashes(db, [...ids], now());
  const changed = [...hashes]
    .filter(([deploymentId, observedHash]) => hashListed(things.get(deploymentId) ?? []) !== observedHash)
    .map(([deploymentId]) => deploymentId);
  await makeDueIfSettled(db, changed, now());
  return changed;
}
