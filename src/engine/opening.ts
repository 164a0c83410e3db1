/** What it takes to open an engine, and what is open then. */
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import type { Images } from '../images/open.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Seal } from '../lib/seal.ts';
import type { Engine } from './engine.ts';
import type { VolumeCopies } from './volume-facets.ts';

export type EngineParts = {
  /** The installation: what carries another one's label is never touched. */
  owner: string;
  /** The epoch of the store now, which new things are labeled with. */
  epoch: () => number;
  /** Epoch milliseconds; may jump. */
  now: () => Instant;
  metrics: Metrics;
  /** What brings images of registries. */
  images: Images;
  log: Logger;
};

/** Closing it leaves all workloads running. */
export type OpenEngine = AsyncDisposable & {
  engine: Engine;
  /** Leaves to another process what is looked after on the machine itself, or takes it up again; absent where nothing is. */
  standAside?: (isAside: boolean) => void;
};

export type CopiesParts = {
  owner: string;
  /** By the installation's key. */
  seal: Seal;
  /** A service of the installation works, and is asked what is asked from outside. */
  isBeside: boolean;
};

export type OpenCopies = AsyncDisposable & { copies: VolumeCopies };
