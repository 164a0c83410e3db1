/** The parts that an engine needs, and an open engine. */
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import type { Images } from '../images/open.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Seal } from '../lib/seal.ts';
import type { Engine } from './engine.ts';
import type { VolumeCopies } from './volume-facets.ts';

export type EngineParts = {
  /** The id of the installation. Objects of other installations are never touched. */
  owner: string;
  /** Returns the epoch of the store, for the labels of new objects. */
  epoch: () => number;
  /** Epoch milliseconds; may jump. */
  now: () => Instant;
  metrics: Metrics;
  /** Resolves and serves images of registries. */
  images: Images;
  log: Logger;
};

/** Closing it leaves all workloads running. */
export type OpenEngine = AsyncDisposable & {
  engine: Engine;
  /** Stops or resumes background work on the machine, when another process takes over; absent without such work. */
  pause?: (isAside: boolean) => void;
};

export type CopiesParts = {
  owner: string;
  /** Uses the installation's key. */
  seal: Seal;
  /** A service of the installation runs and handles external requests. */
  isBeside: boolean;
};

export type OpenCopies = AsyncDisposable & { copies: VolumeCopies };
