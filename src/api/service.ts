/** What every endpoint works with; wired in `main.ts`. */
import type { Kysely } from 'kysely';
import type { Budget } from '../deployment/budget.ts';
import type { Instant, Limits } from '../deployment/deployment.ts';
import type { Engine } from '../engine/engine.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Rate } from '../lib/rate-limit.ts';
import type { Seal } from '../lib/seal.ts';
import type { Tables } from '../store/database.ts';

export type ApiSettings = {
  baseUrl: URL;
  limits: Limits;
  /** Starts of one client address. */
  startRate: Rate;
  /** Other requests of one client address, and requests with one token. */
  rate: Rate;
  /** Whoever has it may read the metrics; without one, whoever comes from this machine. */
  metricsToken?: string;
};

export type Service = {
  db: Kysely<Tables>;
  seal: Seal;
  settings: ApiSettings;
  /** The public address of a deployment's label. */
  urlOf: (label: string) => URL;
  /** What may be set aside on the host in all, and its free disk space now. Does not ask the engine. */
  budget: () => Promise<Budget>;
  metrics: Metrics;
  now: () => Instant;
  /** Only to read what workloads write: everything that changes something goes through the store and the loop. */
  engine: Pick<Engine, 'observe' | 'logs' | 'followLogs'>;
  /** Called after an intent was written: the loop looks at the deployment now. */
  wake: (deploymentId: string) => void;
};
