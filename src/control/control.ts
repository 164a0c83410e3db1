/** What the control layer works with; wired in `main.ts`. */
import type { Deployment, Instant } from '../deployment/deployment.ts';
import type { Operation } from '../deployment/plan/operation.ts';
import type { Egress } from '../deployment/workload/egress.ts';
import type { PodRuntime } from '../deployment/workload/workload.ts';
import type { Engine } from '../engine/engine.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Seal } from '../lib/seal.ts';
import type { Wait } from '../lib/wait.ts';
import type { Database } from '../store/database.ts';
import type { StoreProcess } from '../store/held.ts';
import type { Lease } from '../store/leases.ts';
import type { DiskBook } from './disk/disk-book.ts';
import type { Routed } from './routing.ts';
import type { PausedClock } from './visit/paused-clock.ts';
import type { Pulls } from './visit/pull-turns.ts';
import type { CheckTags } from './visit/tag-check.ts';

export type ControlSettings = {
  /** Without progress for this long, a deployment has failed. */
  deployDeadlineMs: number;
  /** A pod that for this long listens only where it should not has failed. */
  listenPatienceMs: number;
  /** The most time for requests under way on workloads that an update replaces. */
  drainMs: number;
  /** How long a lease lasts without being renewed. */
  leaseMs: number;
  /** How often the loop looks for what is due at least: another process may have written it. */
  pollMs: number;
  /** How often the whole engine is surveyed, and a deployment that is not well is visited. */
  resyncMs: number;
  /** How often at most one that is well is visited although nothing seems to have happened to it; the longest plan. */
  revisitMs: number;
  /** Of the engine's disk, 0..1; above it unused images leave. */
  imageDiskShare: number;
  /** What a workload may write outside of its volumes, where the engine has a disk that is looked at. */
  containerDiskBytes: number;
  /** Of the disk, so much must stay free. */
  diskFreeBytes: number;
  /** How long the volumes and the configuration of a deployment that has ended are kept. */
  graceMs: number;
};

export type Control = {
  db: Database;
  seal: Seal;
  engine: Engine;
  checkTags: CheckTags;
  refreshEdge: () => Promise<void>;
  /** Resolves when no other edge sends requests where the store says no more; absent where there is one edge. */
  othersServe?: (stop?: AbortSignal) => Promise<void>;
  /** Addresses that other edges may send requests to which have not said that they serve this version; absent likewise. */
  othersLead?: (version: number, stop?: AbortSignal) => Promise<string[]>;
  /** How many requests the edge has under way at these addresses; absent where it cannot tell. */
  underWay?: (addresses: readonly string[]) => Promise<number>;
  /** This process, as others on the store know it, and whether they see now that it is there. */
  process?: StoreProcess;
  /** The epoch of the store, which the engine labels new things with. */
  epoch: { value: number };
  routed: Routed;
  /** The public address of a deployment's label. */
  urlOf: (label: string) => URL;
  /** What the deployment may reach: by the plan of its account. */
  egressOf: (deployment: Deployment) => Promise<Egress>;
  /** What its pods run in, where its plan says that. Default: no plan does. */
  runtimeOf?: (deployment: Deployment) => Promise<PodRuntime | undefined>;
  /** Absent where nobody's pulls are limited. */
  pulls?: Pulls;
  settings: ControlSettings;
  metrics: Metrics;
  disk: DiskBook;
  /** Hears of every operation that has been executed, before anything is written about it. */
  afterOperation?: (operation: Operation) => void;
  now: () => Instant;
  /** Absent where the clock never jumps. */
  pausedClock?: PausedClock;
  wait: Wait;
  /** From 0 to below 1. */
  random: () => number;
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
};

/** One to a deployment. */
export type Visit = {
  lease: Lease;
  /** Ends the visit as soon as possible. */
  stop: AbortSignal;
  /** Ends a wait, because an intent has come; replaced after each use. */
  interrupt: () => AbortSignal;
  /** Does what only waits, while others may work. */
  aside?: <T>(work: () => Promise<T>) => Promise<T>;
};
