/**
 * The control loop: looks for what is due and has it visited, several at a time. Everything that happens to a deployment
 * (start, update, expiry, removal, repair, recovery after a crash) is a visit.
 */
import type { Instant } from '../deployment/deployment.ts';
import { describeHold } from '../deployment/quarantine/sweep-hold.ts';
import { createDuty } from '../store/duties.ts';
import { releaseHeldBy } from '../store/held.ts';
import { makeDueIfSettled, nextDueAt, spreadVisits } from '../store/leases.ts';
import { nextEpoch, readEpoch } from '../store/quarantine.ts';
import { clearImages } from './clear-images.ts';
import { clearPushedCopies } from './clear-pushed-copies.ts';
import type { Control } from './control.ts';
import { watchDisk } from './disk/watch-disk.ts';
import { keepHouse, keepHouseEveryMs } from './housekeeping.ts';
import { limitKept } from './limit-kept.ts';
import { revisitMsOf } from './schedule.ts';
import type { Swept } from './sweep.ts';
import { createTidying } from './tidying.ts';
import { createVisits } from './visits.ts';

export type Loop = {
  /** Something was asked of the deployment: look at it now. */
  wake(deploymentId: string): void;
  /** Another process has died: what it was at work on is visited now. */
  takeOverFrom(holder: string): void;
  /** Ends visits at their next safe point and resolves when none is left. */
  stop(): Promise<void>;
};

export function startLoop(control: Control): Loop {
  const { db, engine, log, now, wait } = control;
  /** The loop's own: how often who is well is visited changes with how many there are. */
  const settings = { ...control.settings };
  const stopping = new AbortController();
  let rouse = () => {};
  const tidying = createTidying(control);
  const visits = createVisits({ ...control, settings }, stopping.signal, {
    onPlace: () => rouse(),
    onEnd: tidying.visited,
  });
  let beside: Promise<void> = Promise.resolve();
  let keptHouseAt: Instant | undefined;
  const { process } = control;
  const duty = createDuty({ db, name: 'tidy', forMs: 3 * settings.resyncMs, process, now });

  /** Of all processes on the store one does it. Beside the visits: an image of some gigabytes takes seconds to remove. */
  async function tidy(): Promise<void> {
    try {
      control.epoch.value = await readEpoch(db);
      if (!(await duty.take())) return;
      const forgotten = await limitKept(control);
      if (forgotten.length > 0) log.info({ forgotten }, 'removed retained data of ended deployments');
      const { changed, swept, present } = await tidying.tidy();
      settings.revisitMs = revisitMsOf(present, control.settings.revisitMs);
      if (changed.length + forgotten.length > 0) rouse();
      reportSweep(swept, log);
      if (hasPassed(keptHouseAt, keepHouseEveryMs, now())) {
        await keepHouse(db, now());
        // After the sweep, which has compared the earlier epoch with the engine.
        control.epoch.value = await nextEpoch(db);
        keptHouseAt = now();
      }
      const copies = await clearPushedCopies(control);
      if (copies.length > 0) log.info({ copies }, 'removed copies of images that are no longer referenced');
      const cleared = await clearImages({ ...control, mostUsed: settings.imageDiskShare });
      if (cleared.length > 0) log.info({ cleared }, 'removed unused images because the disk was too full');
    } catch (error) {
      log.error({ err: error }, 'survey and sweep failed, will be tried again');
    }
  }

  async function run(): Promise<void> {
    let tidiedAt: Instant | undefined;
    let lookedAt = now();
    while (!stopping.signal.aborted) {
      const roused = new Promise<void>((resolve) => {
        rouse = resolve;
      });
      try {
        // What was planned by a clock that was ahead would come late.
        if (lookedAt - now() > settings.resyncMs)
          await spreadVisits(db, { now: now(), spreadMs: settings.resyncMs, random: control.random });
        lookedAt = now();
        if (hasPassed(tidiedAt, settings.resyncMs, now())) {
          tidiedAt = now();
          beside = beside.then(tidy);
        }
        await visits.begin();
      } catch (error) {
        log.error({ err: error }, 'loop failed, will be tried again');
      }
      const dueAt = (await nextDueAt(db).catch(() => undefined)) ?? Number.POSITIVE_INFINITY;
      const waitMs = Math.max(5, Math.min(settings.pollMs, dueAt - now()));
      const timer = new AbortController();
      await Promise.race([roused, wait(waitMs, timer.signal)]);
      timer.abort();
    }
  }

  engine.watch((deploymentId) => {
    if (visits.tell(deploymentId)) return;
    void makeDueIfSettled(db, [deploymentId], now())
      .then(() => rouse())
      .catch((error) => log.error({ err: error }, 'engine event lost; the survey will see it'));
  }, stopping.signal);
  const running = run();
  const { disk: hostDisk } = engine;
  const watching = hostDisk && watchDisk({ ...control, hostDisk, rouse: () => rouse() }, stopping.signal);

  return {
    wake(deploymentId) {
      visits.interrupt(deploymentId);
      rouse();
    },
    takeOverFrom(holder) {
      void releaseHeldBy(db, holder, now())
        .then(() => rouse())
        .catch((error) => log.error({ err: error }, 'leases of a dead process could not be taken over; they expire'));
    },
    async stop() {
      stopping.abort();
      rouse();
      await running;
      await beside;
      await watching;
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

/** By a clock that may be set back, too. */
function hasPassed(since: Instant | undefined, ms: number, now: Instant): boolean {
  return since === undefined || now < since || now - since >= ms;
}
