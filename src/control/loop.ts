/**
 * The control loop: takes leases on due deployments and visits them, several at a time. Everything that happens to a
 * deployment (start, update, expiry, removal, repair, recovery after a crash) is a visit.
 */
import { type Lease, makeDue, nextDueAt, releaseLease, renewLease, takeLeases } from '../store/leases.ts';
import { clearImages } from './clear-images.ts';
import type { Control } from './control.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';
import { watchDisk } from './watch-disk.ts';

/** Visits mostly wait (for a pull, for a database to come up), so there may be many. */
const visitsAtOnce = 64;
/** The loop looks for due rows at least this often: another process may have written them. */
const pollMs = 5_000;
const sweepEveryMs = 60_000;
const backOff = { firstMs: 500, mostMs: 30_000 };

export type Loop = {
  /** Something was asked of the deployment: look at it now. */
  wake(deploymentId: string): void;
  /** Ends visits at their next safe point and resolves when none is left. */
  stop(): Promise<void>;
};

export function startLoop(control: Control): Loop {
  const { db, engine, log, metrics, now, wait, random, settings } = control;
  const stopping = new AbortController();
  const visits = new Map<string, { interrupt: AbortController; done: Promise<void> }>();
  const faults = new Map<string, number>();
  let tidying: Promise<void> = Promise.resolve();
  let rouse = () => {};

  async function takeDue(): Promise<void> {
    const leases = await takeLeases(db, now(), settings.leaseMs, visitsAtOnce - visits.size);
    for (const lease of leases) {
      const visit = { interrupt: new AbortController(), done: Promise.resolve() };
      visits.set(lease.deploymentId, visit);
      visit.done = runVisit(lease).finally(() => {
        visits.delete(lease.deploymentId);
        rouse();
      });
    }
  }

  async function runVisit(lease: Lease): Promise<void> {
    const { deploymentId } = lease;
    metrics.visits.inc();
    const lost = new AbortController();
    const ended = new AbortController();
    void keep(lease, ended.signal, () => lost.abort());
    let dueAt: number | null;
    try {
      const stop = AbortSignal.any([stopping.signal, lost.signal]);
      dueAt = await reconcile({ lease, stop, interrupt: () => freshInterrupt(deploymentId) }, control);
      faults.delete(deploymentId);
    } catch (error) {
      dueAt = now() + reportFault(deploymentId, error);
    } finally {
      ended.abort();
    }
    // One that cannot be given back runs out.
    await releaseLease(db, lease, dueAt).catch((error) =>
      log.error({ deployment: deploymentId, err: error }, 'a lease could not be given back; it runs out'),
    );
  }

  /** Renews the lease until the visit has ended or somebody else has it. */
  async function keep(lease: Lease, ended: AbortSignal, lose: () => void): Promise<void> {
    for (;;) {
      await wait(settings.leaseMs / 3, ended);
      if (ended.aborted) return;
      const isOurs = await renewLease(db, lease, now() + settings.leaseMs).catch(() => true);
      if (!isOurs) return lose();
    }
  }

  function freshInterrupt(deploymentId: string): AbortSignal {
    const interrupt = new AbortController();
    const visit = visits.get(deploymentId);
    if (visit) visit.interrupt = interrupt;
    return interrupt.signal;
  }

  /** Logs it and returns how long to wait before the next try: doubled, with jitter. */
  function reportFault(deploymentId: string, error: unknown): number {
    const count = (faults.get(deploymentId) ?? 0) + 1;
    faults.set(deploymentId, count);
    metrics.visitFaults.inc();
    log.error({ deployment: deploymentId, err: error, count }, 'visit failed, will be tried again');
    return Math.min(backOff.firstMs * 2 ** (count - 1), backOff.mostMs) * (0.5 + random() / 2);
  }

  /** Beside the visits: an image of some gigabytes takes seconds to remove. */
  async function tidy(): Promise<void> {
    try {
      const removed = await sweep(control);
      if (removed.length > 0) log.info({ removed: removed.map(({ name }) => name) }, 'orphans removed');
      const cleared = await clearImages({ ...control, mostUsed: settings.imageDiskShare });
      if (cleared.length > 0) log.info({ cleared }, 'unused images removed, the disk was too full');
    } catch (error) {
      log.error({ err: error }, 'sweep failed, will be tried again');
    }
  }

  async function run(): Promise<void> {
    let sweptAt = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      const roused = new Promise<void>((resolve) => {
        rouse = resolve;
      });
      try {
        if (now() - sweptAt >= sweepEveryMs) {
          sweptAt = now();
          tidying = tidying.then(tidy);
        }
        if (visits.size < visitsAtOnce) await takeDue();
      } catch (error) {
        log.error({ err: error }, 'loop failed, will be tried again');
      }
      const dueAt = (await nextDueAt(db).catch(() => undefined)) ?? Number.POSITIVE_INFINITY;
      const waitMs = Math.max(5, Math.min(pollMs, dueAt - now()));
      const timer = new AbortController();
      await Promise.race([roused, wait(waitMs, timer.signal)]);
      timer.abort();
    }
  }

  engine.watch((deploymentId) => {
    // A visit under way sees changes by itself.
    if (visits.has(deploymentId)) return;
    void makeDue(db, deploymentId, now())
      .then(() => rouse())
      .catch((error) => log.error({ err: error }, 'engine event lost; the resync will see it'));
  }, stopping.signal);
  const running = run();
  const { containerDiskBytes } = settings;
  const watching =
    containerDiskBytes === undefined ? undefined : watchDisk(control, containerDiskBytes, stopping.signal);

  return {
    wake(deploymentId) {
      visits.get(deploymentId)?.interrupt.abort();
      rouse();
    },
    async stop() {
      stopping.abort();
      rouse();
      await running;
      await tidying;
      await watching;
      await Promise.all([...visits.values()].map(({ done }) => done));
    },
  };
}
