/** Metrics of a deployment: resource usage and requests of the last hour. */
import type { Instant } from '../deployment.ts';
import { answerBoundsMs, type RequestCounts, type Used, type VolumeUse, type WorkloadUse } from './use.ts';

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
export type StoredMetrics = {
  at: Instant;
  /** The values by pod and replica: `web/0`. */
  pods: Record<string, PodValues>;
  site: SiteValues;
};

export const storedPeriodMs = 300_000;
export const metricsRetentionMs = 24 * 60 * 60_000;

/** Merges the measurements of several processes, each of its own edge and the pods that it sees. */

/** Merges measurements of one instant, at least one: all pods, and the sum of all edges' requests. */
export function mergeStored([first, ...others]: readonly [StoredMetrics, ...StoredMetrics[]]): StoredMetrics {
  return others.reduce(
    (sum, each) => ({ at: sum.at, pods: mergePods(sum.pods, each.pods), site: mergeSites(sum.site, each.site) }),
    first,
  );
}

/** Processes on one engine see the same pods, so a missing value is taken from another process. */
function mergePods(one: StoredMetrics['pods'], other: StoredMetrics['pods']): StoredMetrics['pods'] {
  const pods = new Map(Object.entries(one));
  for (const [key, values] of Object.entries(other)) {
    const found = pods.get(key);
    const merged = podNames.map((name) => [name, found?.[name] ?? values[name]] as const);
    pods.set(key, Object.fromEntries(merged) as PodValues);
  }
  return Object.fromEntries(pods);
}

/**
 * Quantiles of several edges cannot be merged exactly. The mean, weighted by requests, lies between them like the real
 * one.
 */
function mergeSites(one: SiteValues, other: SiteValues): SiteValues {
  const sum = (name: keyof SiteValues) =>
    one[name] === null || other[name] === null ? (one[name] ?? other[name]) : one[name] + other[name];
  const mean = (name: keyof SiteValues) => {
    const reported = [one, other].filter((site) => site[name] !== null);
    const all = reported.reduce((weight, { requestsPerSecond }) => weight + (requestsPerSecond ?? 0), 0);
    if (all === 0) return reported[0]?.[name] ?? null;
    return reported.reduce((weighed, site) => weighed + (site[name]! * (site.requestsPerSecond ?? 0)) / all, 0);
  };
  return {
    requestsPerSecond: sum('requestsPerSecond'),
    clientErrorsPerSecond: sum('clientErrorsPerSecond'),
    serverErrorsPerSecond: sum('serverErrorsPerSecond'),
    p50Ms: mean('p50Ms'),
    p95Ms: mean('p95Ms'),
  };
}

/** Computes shares, rates and response times from counters of two measurements. */

export const podNames = ['cpuMillis', 'memoryBytes', 'receivedBytesPerSecond', 'sentBytesPerSecond'] as const;
export type PodValues = Record<(typeof podNames)[number], number | null>;

export const siteNames = [
  'requestsPerSecond',
  'clientErrorsPerSecond',
  'serverErrorsPerSecond',
  'p50Ms',
  'p95Ms',
] as const;
export type SiteValues = Record<(typeof siteNames)[number], number | null>;

/** `elapsedMs`: by a monotonic clock. Without a previous measurement, only the memory is known. */
export function podValues(before: WorkloadUse | undefined, now: WorkloadUse, elapsedMs: number): PodValues {
  if (!before || elapsedMs <= 0)
    return { cpuMillis: null, memoryBytes: now.memoryBytes, receivedBytesPerSecond: null, sentBytesPerSecond: null };
  const isSameStart = before.startedAt === now.startedAt && before.revision === now.revision;
  const since = (of: keyof Used) => (isSameStart && now[of] >= before[of] ? now[of] - before[of] : now[of]);
  const perSecond = (of: keyof Used) => (since(of) / elapsedMs) * 1_000;
  return {
    // Milliseconds per second equal thousandths of a processor.
    cpuMillis: perSecond('cpuMs'),
    memoryBytes: now.memoryBytes,
    receivedBytesPerSecond: perSecond('receivedBytes'),
    sentBytesPerSecond: perSecond('sentBytes'),
  };
}

export function siteValues(counts: RequestCounts, elapsedMs: number): SiteValues {
  const perSecond = (count: number) => (elapsedMs > 0 ? (count / elapsedMs) * 1_000 : null);
  return {
    requestsPerSecond: perSecond(counts.requests),
    clientErrorsPerSecond: perSecond(counts.clientErrors),
    serverErrorsPerSecond: perSecond(counts.serverErrors),
    p50Ms: quantileMs(counts.tookWithin, 0.5),
    p95Ms: quantileMs(counts.tookWithin, 0.95),
  };
}

/**
 * Returns the time in milliseconds within which this share of the responses arrived, assuming an even distribution
 * between two bounds. Responses slower than the last bound count as that bound. Null without responses.
 */
export function quantileMs(tookWithin: readonly number[], share: number): number | null {
  const all = tookWithin.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let below = 0;
  for (const [index, count] of tookWithin.entries()) {
    if (count > 0 && below + count >= share * all) {
      const [from, to] = [answerBoundsMs[index - 1] ?? 0, answerBoundsMs[index] ?? answerBoundsMs.at(-1)!];
      return from + ((share * all - below) / count) * (to - from);
    }
    below += count;
  }
  return answerBoundsMs.at(-1)!;
}
