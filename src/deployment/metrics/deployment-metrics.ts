/** What is told of a deployment's use and of its site's requests, over the last hour. */
import type { Instant } from '../deployment.ts';
import type { PodValues, SiteValues } from './rates.ts';
import type { RequestCounts, Used, VolumeUse, WorkloadUse } from './use.ts';

/** A value for each step; null without a measurement. */
export type SeriesOf<Values> = Record<keyof Values, (number | null)[]>;

/** `now` is absent where it does not run any more, or could not be measured lately. */
export type PodMetrics = Omit<WorkloadUse, keyof Used | 'deploymentId'> & {
  now?: PodValues;
  series: SeriesOf<PodValues>;
};

/** `now`: over the last minute. */
export type SiteMetrics = { now: SiteValues; series: SeriesOf<SiteValues> };

export type DeploymentMetrics = {
  /** Of the first step. */
  from: Instant;
  stepSeconds: number;
  pods: PodMetrics[];
  /** False where the engine tells nothing of what pods use. */
  arePodsMeasured: boolean;
  volumes: Omit<VolumeUse, 'deploymentId'>[];
  site: SiteMetrics;
};

/** What has been counted in all of one deployment, since this process measures. */
export type DeploymentTotals = {
  deploymentId: string;
  uses: readonly WorkloadUse[];
  volumes: readonly VolumeUse[];
  requests: RequestCounts;
  site: SiteValues;
};

/** What was measured, for whoever asks. */
export type Samples = {
  of(deploymentId: string): DeploymentMetrics;
  totals(): Iterable<DeploymentTotals>;
};

/** What is kept of five minutes of a deployment that is claimed: means, of the memory the most. */
export type KeptMetrics = {
  at: Instant;
  /** By pod and replica: `web/0`. */
  pods: Record<string, PodValues>;
  site: SiteValues;
};

export const keptPeriodMs = 300_000;
export const keptForMs = 24 * 60 * 60_000;
