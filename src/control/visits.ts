/**
 * Current visits, with a limit. A visit occupies a slot while it works, and releases it while it waits for a pull, a
 * registry, a change or a drain. A slow deployment therefore does not delay others.
 */

import { hashObserved, type Observed } from '../deployment/workload/workload.ts';
import type { Engine } from '../engine/engine.ts';
import { backoffMs } from '../lib/backoff.ts';
import { holderName } from '../store/duties.ts';
import { acquireLeases, type Lease, type Release, releaseLease, renewLeases } from '../store/leases.ts';
import type { Control } from './control.ts';
import { visitPauses } from './schedule.ts';
import { reconcile } from './visit/reconcile.ts';

/** Visits mostly wait for responses of the engine. On two processors, 64 visits keep it busy. */
const places = 64;

/** A visit that has begun. */
type UnderWay = {
  lease: Lease;
  interrupt: AbortController;
  /** Aborts when another process has the lease. */
  lost: AbortController;
  /** The last observation, and whether an event has arrived since it began. */
  observed?: Observed;
  hasChanged: boolean;
};

export type Visits = {
  /** Leases due deployments, up to the number of free slots, and starts visiting them. */
  begin(): Promise<void>;
  /** Ends the wait of a visit, so that it reads the row again. */
  interrupt(deploymentId: string): void;
  /** Reports a change on the engine to a visit. Returns false if the deployment has no visit. */
  tell(deploymentId: string): boolean;
  /** Resolves when all visits have ended. */
  ended(): Promise<void>;
};

export type VisitListener = {
  /** A place is free. */
  onPlace: () => void;
  /** A visit has ended, and its last observation is stored. */
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
    // An earlier lease of this process may have expired: the process was paused, or the clock was set.
    current.get(deploymentId)?.lost.abort();
    current.set(deploymentId, underWay);
    metrics.visits.inc();
    const release = await toEnd(underWay);
    if (current.get(deploymentId) === underWay) current.delete(deploymentId);
    // A lease that cannot be released expires.
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
          checkTags: (...requested) => withoutPlace(() => control.checkTags(...requested)),
        },
      );
      failures.delete(lease.deploymentId);
      if (dueAt === null) routed.edge.delete(lease.deploymentId);
      if (dueAt === null || !underWay.observed) return { dueAt, observedHash: null };
      return { dueAt: underWay.hasChanged ? now() : dueAt, observedHash: hashObserved(underWay.observed) };
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
      observe: async (...requested) => {
        underWay.hasChanged = false;
        underWay.observed = await engine.observe(...requested);
        return underWay.observed;
      },
      ...(images && {
        images: { ...images, pull: (...requested) => withoutPlace(() => images.pull(...requested)) },
      }),
      change: (...requested) => withoutPlace(() => engine.change(...requested)),
    };
  }

  /** Afterwards, the visit does not wait for a place, because it already has a lease. */
  async function withoutPlace<T>(work: () => Promise<T>): Promise<T> {
    working--;
    onPlace();
    try {
      return await work();
    } finally {
      working++;
    }
  }

  /** Logs the fault and returns the time until the next attempt. */
  function reportFault(deploymentId: string, error: unknown): number {
    const count = (failures.get(deploymentId) ?? 0) + 1;
    failures.set(deploymentId, count);
    metrics.visitFaults.inc();
    log.error({ deployment: deploymentId, err: error, count }, 'visit failed, will be tried again');
    return backoffMs(visitPauses, count, random);
  }

  /**
   * Renews all leases while visits exist. If the store is not writable, a later renewal may succeed before they expire.
   */
  async function renewHeldLeases(): Promise<void> {
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
      const token = holderName(process);
      const taking = { now: now(), leaseMs, horizonMs: settings.revisitMs, limit, token };
      for (const lease of await acquireLeases(db, taking)) {
        working++;
        const end = visit(lease).finally(() => {
          working--;
          running.delete(end);
          onPlace();
        });
        running.add(end);
      }
      void renewHeldLeases();
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
