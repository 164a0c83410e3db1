/**
 * Visits under way. A visit has a place, of which there are only so many, while it works; while it waits for a pull, a
 * registry, a change or visitors' last requests, its place is somebody else's. So nothing that is slow delays anybody but itself.
 */

import { hashObserved } from '../deployment/workload/observed-hash.ts';
import type { Observed } from '../deployment/workload/workload.ts';
import type { Engine } from '../engine/engine.ts';
import { backoffMs } from '../lib/backoff.ts';
import { nameOfHeld } from '../store/held.ts';
import { type Lease, type Release, releaseLease, renewLeases, takeLeases } from '../store/leases.ts';
import type { Control } from './control.ts';
import { visitPauses } from './schedule.ts';
import { reconcile } from './visit/reconcile.ts';

/** Work is mostly waiting for the engine's answers, so there may be many; on two processors 64 keep it busy. */
const places = 64;

/** A visit that has begun. */
type UnderWay = {
  lease: Lease;
  interrupt: AbortController;
  /** Aborted when somebody else has the lease. */
  lost: AbortController;
  /** What it saw last, and whether something has changed since it began to look. */
  seen?: Observed;
  hasChanged: boolean;
};

export type Visits = {
  /** Takes leases on what is due, as many as there are places, and begins to visit. */
  begin(): Promise<void>;
  /** Ends the wait of a visit, so that it looks again. */
  interrupt(deploymentId: string): void;
  /** Tells a visit of a change on the engine; false when there is none. */
  tell(deploymentId: string): boolean;
  /** Resolves when none is left. */
  ended(): Promise<void>;
};

export type VisitListener = {
  /** There is room for another one. */
  onPlace: () => void;
  /** One has ended, whatever it saw last is written. */
  onEnd: (deploymentId: string) => void;
};

/** `stop` ends visits at their next safe point. */
export function createVisits(control: Control, stop: AbortSignal, { onPlace, onEnd }: VisitListener): Visits {
  const { db, log, metrics, now, wait, random, routed, settings, process } = control;
  const { leaseMs } = settings;
  const current = new Map<string, UnderWay>();
  const running = new Set<Promise<void>>();
  const failures = new Map<string, number>();
  let working = 0;
  let isKeeping = false;

  async function visit(lease: Lease): Promise<void> {
    const { deploymentId } = lease;
    const underWay: UnderWay = {
      lease,
      hasChanged: false,
      interrupt: new AbortController(),
      lost: new AbortController(),
    };
    // Its own old lease may have run out: this process has stood still, or the clock was set.
    current.get(deploymentId)?.lost.abort();
    current.set(deploymentId, underWay);
    metrics.visits.inc();
    const release = await toEnd(underWay);
    if (current.get(deploymentId) === underWay) current.delete(deploymentId);
    // One that cannot be given back runs out.
    await releaseLease(db, lease, release).catch((error) =>
      log.error({ deployment: deploymentId, err: error }, 'a lease could not be released; it expires'),
    );
    onEnd(deploymentId);
  }

  async function toEnd(underWay: UnderWay): Promise<Release> {
    const { lease } = underWay;
    const nextInterrupt = () => {
      underWay.interrupt = new AbortController();
      return underWay.interrupt.signal;
    };
    try {
      const dueAt = await reconcile(
        { lease, stop: AbortSignal.any([stop, underWay.lost.signal]), interrupt: nextInterrupt, aside: withoutPlace },
        {
          ...control,
          engine: engineOf(underWay),
          checkTags: (...asked) => withoutPlace(() => control.checkTags(...asked)),
        },
      );
      failures.delete(lease.deploymentId);
      if (dueAt === null) routed.edge.delete(lease.deploymentId);
      if (dueAt === null || !underWay.seen) return { dueAt, observedHash: null };
      return { dueAt: underWay.hasChanged ? now() : dueAt, observedHash: hashObserved(underWay.seen) };
    } catch (error) {
      return { dueAt: now() + reportFault(lease.deploymentId, error), observedHash: null };
    }
  }

  /** The engine as a visit sees it. */
  function engineOf(underWay: UnderWay): Engine {
    const { engine } = control;
    const { images } = engine;
    return {
      ...engine,
      observe: async (...asked) => {
        underWay.hasChanged = false;
        underWay.seen = await engine.observe(...asked);
        return underWay.seen;
      },
      ...(images && {
        images: { ...images, pull: (...asked) => withoutPlace(() => images.pull(...asked)) },
      }),
      change: (...asked) => withoutPlace(() => engine.change(...asked)),
    };
  }

  /** It is not asked to wait for a place afterwards: it has a lease, and others can wait better. */
  async function withoutPlace<T>(work: () => Promise<T>): Promise<T> {
    working--;
    onPlace();
    try {
      return await work();
    } finally {
      working++;
    }
  }

  /** Logs it and returns how long to wait before the next try. */
  function reportFault(deploymentId: string, error: unknown): number {
    const count = (failures.get(deploymentId) ?? 0) + 1;
    failures.set(deploymentId, count);
    metrics.visitFaults.inc();
    log.error({ deployment: deploymentId, err: error, count }, 'visit failed, will be tried again');
    return backoffMs(visitPauses, count, random);
  }

  /** Renews all leases, as long as there are visits. A store that cannot be written now may be before they run out. */
  async function keepLeases(): Promise<void> {
    if (isKeeping) return;
    isKeeping = true;
    const ended = new AbortController();
    while (current.size > 0) {
      await wait(leaseMs / 3, ended.signal);
      const held = [...current.values()];
      if (held.length === 0) break;
      const kept = await renewLeases(
        db,
        held.map(({ lease }) => lease),
        now() + leaseMs,
      ).catch(() => undefined);
      for (const { lease, lost } of held) if (kept && !kept.has(lease.deploymentId)) lost.abort();
    }
    isKeeping = false;
  }

  return {
    async begin() {
      if (working >= places) return;
      const limit = places - working;
      const token = nameOfHeld(process);
      const taking = { now: now(), leaseMs, horizonMs: settings.revisitMs, limit, token };
      for (const lease of await takeLeases(db, taking)) {
        working++;
        const end = visit(lease).finally(() => {
          working--;
          running.delete(end);
          onPlace();
        });
        running.add(end);
      }
      void keepLeases();
    },

    interrupt: (deploymentId) => current.get(deploymentId)?.interrupt.abort(),

    tell(deploymentId) {
      const underWay = current.get(deploymentId);
      if (underWay) underWay.hasChanged = true;
      return underWay !== undefined;
    },

    async ended() {
      await Promise.all(running);
    },
  };
}
