/** The parts and settings of the control layer; wired in `main.ts`. */
import type { Deployment, Instant } from '../deployment/deployment.ts';
import type { Operation } from '../deployment/plan/operation.ts';
import type { SleepPolicy } from '../deployment/sleep.ts';
import type { Egress } from '../deployment/workload/egress.ts';
import type { PodRuntime } from '../deployment/workload/workload.ts';
import type { Engine } from '../engine/engine.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Seal } from '../lib/seal.ts';
import type { Wait } from '../lib/wait.ts';
import type { Database } from '../store/database.ts';
import type { StoreProcess } from '../store/duties.ts';
import type { Lease } from '../store/leases.ts';
import type { DiskState } from './disk/disk-state.ts';
import type { Routed } from './routing.ts';
import type { PausedClock } from './visit/paused-clock.ts';
import type { Pulls } from './visit/pull-turns.ts';
import type { CheckTags } from './visit/tag-check.ts';

export type ControlSettings = {
  /** A deployment without progress for this long has failed. */
  deployDeadlineMs: number;
  /** A pod that listens only on undeclared ports for this long has failed. */
  listenPatienceMs: number;
  /** How long open requests on replaced workloads may take. */
  drainMs: number;
  /** How long a lease lasts without a renewal. */
  leaseMs: number;
  /** The maximum interval between queries for due deployments, because another process may have written them. */
  pollMs: number;
  /** The interval of surveys, and of visits to unhealthy deployments. */
  resyncMs: number;
  /** The interval of visits to unchanged healthy deployments; no visit is planned further ahead. */
  revisitMs: number;
  /** The share of the engine's disk, 0..1, above which unused images are removed. */
  imageDiskShare: number;
  /** Disk space that a workload may use outside of its volumes, on an engine with the facet `disk`. */
  containerDiskBytes: number;
  /** The disk space that must stay free. */
  diskFreeBytes: number;
  /** How long the volumes and the configuration of an ended deployment are kept. */
  graceMs: number;
  sleep: SleepPolicy;
};

export type Control = {
  db: Database;
  seal: Seal;
  engine: Engine;
  checkTags: CheckTags;
  refreshEdge: () => Promise<void>;
  /** Resolves when no other edge uses outdated routes; absent if there is one edge. */
  othersServe?: (stop?: AbortSignal) => Promise<void>;
  /** Returns addresses that edges with older routes may send requests to; absent if there is one edge. */
  othersLead?: (version: number, stop?: AbortSignal) => Promise<string[]>;
  /** Returns the number of open requests at these addresses; absent if the edge does not count them. */
  underWay?: (addresses: readonly string[]) => Promise<number>;
  /** The identity of this process on the store, and whether other processes see it now. */
  process?: StoreProcess;
  /** The epoch of the store, in the labels of new objects. */
  epoch: { value: number };
  routed: Routed;
  /** Returns the public address of a deployment by its label. */
  urlOf: (label: string) => URL;
  /** Returns what the deployment may connect to, by the plan of its account. */
  egressOf: (deployment: Deployment) => Promise<Egress>;
  /** Returns the runtime of its plan, if the plan has one. */
  runtimeOf?: (deployment: Deployment) => Promise<PodRuntime | undefined>;
  /** Absent if pulls are unlimited. */
  pulls?: Pulls;
  settings: ControlSettings;
  metrics: Metrics;
  disk: DiskState;
  /** Called after each operation, before its result is written. */
  afterOperation?: (operation: Operation) => void;
  now: () => Instant;
  /** Absent if the clock never jumps. */
  pausedClock?: PausedClock;
  wait: Wait;
  /** From 0 to below 1. */
  random: () => number;
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
};

/** A visit to one deployment. */
export type Visit = {
  lease: Lease;
  /** Ends the visit as soon as possible. */
  stop: AbortSignal;
  /** Ends a wait when the intent has changed; replaced after each use. */
  interrupt: () => AbortSignal;
  /** Runs work that only waits, without occupying a slot. */
  aside?: <T>(work: () => Promise<T>) => Promise<T>;
};
