/** Metrics of a deployment: resource usage and requests of the last hour. */
import type { Instant } from '../deployment.ts';
import type { PodValues, SiteValues } from './rates.ts';
import type { RequestCounts, Used, VolumeUse, WorkloadUse } from './use.ts';

/** One value per step; null without a measurement. */
export type SeriesOf<Values> = Record<keyof Values, (number | null)[]>;

/** `now` is absent if the pod no longer runs, or was not measured recently. */
export type PodMetrics = Omit<WorkloadUse, keyof Used | 'deploymentId'> & {
  now?: PodValues;
  series: SeriesOf<PodValues>;
};

/** `now`: over the last minute. */
export type SiteMetrics = { now: SiteValues; series: SeriesOf<SiteValues> };

export type DeploymentMetrics = {
  /** The time of the first step. */
  from: Instant;
  stepSeconds: number;
  pods: PodMetrics[];
  /** False if the engine does not measure pods. */
  arePodsMeasured: boolean;
  volumes: Omit<VolumeUse, 'deploymentId'>[];
  site: SiteMetrics;
};

/** Totals of one deployment, since this process started. */
export type DeploymentTotals = {
  deploymentId: string;
  uses: readonly WorkloadUse[];
  volumes: readonly VolumeUse[];
  requests: RequestCounts;
  site: SiteValues;
};

/** Access to the measurements. */
export type Samples = {
  of(deploymentId: string): DeploymentMetrics;
  totals(): Iterable<DeploymentTotals>;
};

/** Stored values of five minutes of a claimed deployment: means, and the maximum of the memory. */
export type KeptMetrics = {
  at: Instant;
  /** By pod and replica: `web/0`. */
  pods: Record<string, PodValues>;
  site: SiteValues;
};

export const keptPeriodMs = 300_000;
export const keptForMs = 24 * 60 * 60_000;
