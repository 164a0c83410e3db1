/** Records of a deployment's usage, their schemas, and their calculation from measurements. Pure. */
import { Type } from 'typebox';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import {
  type DeploymentMetrics,
  metricsRetentionMs,
  type PodMetrics,
  type PodValues,
  podNames,
  type SeriesOf,
  type SiteValues,
  type StoredMetrics,
  siteNames,
  storedPeriodMs,
} from '../../deployment/metrics/deployment-metrics.ts';
import { maxEndedPods } from '../../deployment/metrics/measured.ts';
import { answerBoundsMs } from '../../deployment/metrics/use.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';
import { printInstant } from '../deployments/deployment-records.ts';
import { PodRecord, Warnings } from '../deployments/deployment-schemas.ts';

const Value = Type.Union([Type.Number(), Type.Null()]);
const Line = Type.Array(Value);

const meanings = {
  cpuMillis: '1000 is one CPU.',
  memoryBytes: 'Excludes file cache that the kernel can reclaim.',
  receivedBytesPerSecond: 'Bytes received over the network.',
  sentBytesPerSecond: 'Bytes sent over the network.',
  requestsPerSecond: 'Requests that the edge forwarded to the application.',
  clientErrorsPerSecond: 'Responses with status 400 to 499.',
  serverErrorsPerSecond: 'Responses with status 500 to 599, including those of the edge when no pod responded.',
  p50Ms: `Median time to the first byte, in milliseconds. Estimated from counts within ${answerBoundsMs.join(', ')} ms; slower responses count as the last of these.`,
  p95Ms: '95th percentile of the time to the first byte, in milliseconds.',
} as const satisfies Record<keyof PodValues | keyof SiteValues, string>;

function valuesOf<Name extends keyof typeof meanings>(names: readonly Name[]) {
  const described = names.map((name) => [name, Type.Union(Value.anyOf, { description: meanings[name] })] as const);
  return Object.fromEntries(described) as Record<Name, typeof Value>;
}

function linesOf<Name extends string>(names: readonly Name[]) {
  const lines = names.map((name) => [name, Line] as const);
  return Type.Object(Object.fromEntries(lines) as Record<Name, typeof Line>, {
    description: 'A value for each step; null without a measurement.',
  });
}

const { restarts, lastExit } = PodRecord.properties;

const PodMetricsRecord = Type.Object({
  name: Type.String(),
  replica: Type.Integer({ minimum: 0 }),
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The revision that it was started for.' })),
  startedAt: Type.Optional(Type.String({ format: 'date-time', description: 'The last start, including restarts.' })),
  restarts,
  lastExit,
  cpuLimitMillis: Type.Optional(Type.Number({ description: '1000 is one CPU; absent without a limit.' })),
  memoryLimitBytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Absent without a limit.' })),
  now: Type.Optional(
    Type.Object(valuesOf(podNames), { description: 'At the last look; absent where it does not run any more.' }),
  ),
  series: linesOf(podNames),
});

export const MetricsRecord = Type.Object(
  {
    applicationName: Type.String(),
    environment: Type.String(),
    range: Type.Enum(['hour', 'day']),
    from: Type.String({ format: 'date-time', description: 'The time of the first step of each line.' }),
    stepSeconds: Type.Integer({ minimum: 1 }),
    message: Type.Optional(Type.String({ description: 'Why a measurement is missing.' })),
    pods: Type.Array(PodMetricsRecord),
    volumes: Type.Array(
      Type.Object({
        name: Type.String(),
        usedBytes: Type.Integer({ minimum: 0 }),
        sizeBytes: Type.Integer({ minimum: 0, description: 'Includes the overhead of the file system.' }),
      }),
      { description: 'Volumes with a hard limit.' },
    ),
    site: Type.Object({
      now: Type.Object(valuesOf(siteNames), { description: 'Over the last minute.' }),
      series: linesOf(siteNames),
    }),
    warnings: Warnings,
  },
  { description: 'The resource use of the pods and the requests to the site.' },
);

/** Returns the metrics of the last hour. */
export function hourRecord(deployment: Deployment, metrics: DeploymentMetrics, now: Instant) {
  const { from, stepSeconds, pods, volumes, site } = metrics;
  return {
    ...headOf(deployment, 'hour', from, stepSeconds),
    pods: pods.map((pod) => podRecord(deployment, pod, now)),
    volumes: volumes.map(({ volume, usedBytes, sizeBytes }) => ({ name: volume, usedBytes, sizeBytes })),
    site: { now: rounded(site.now), series: roundedLines(site.series) },
  };
}

/** Returns the stored values of the last day. Current values cover the last hour. */
export function dayRecord(
  deployment: Deployment,
  metrics: DeploymentMetrics,
  kept: readonly StoredMetrics[],
  now: Instant,
) {
  const hour = hourRecord(deployment, metrics, now);
  const steps = metricsRetentionMs / storedPeriodMs;
  const from = (Math.floor(now / storedPeriodMs) - steps) * storedPeriodMs;
  const byStep = new Map(kept.map((each) => [Math.round((each.at - from) / storedPeriodMs), each]));
  const lines = <Name extends string>(names: readonly Name[], of: (each: StoredMetrics) => Values<Name> | undefined) =>
    roundedLines(lineUp(names, steps, (step) => (byStep.has(step) ? of(byStep.get(step)!) : undefined)));
  const known = new Map(hour.pods.map((pod) => [`${pod.name}/${pod.replica}`, pod]));
  const names = [...known.keys(), ...pastNames(kept, known)];
  return {
    ...hour,
    ...headOf(deployment, 'day', from, storedPeriodMs / 1_000),
    pods: names.sort().map((key) => ({
      ...(known.get(key) ?? pastPod(deployment, key, now)),
      series: lines(podNames, ({ pods }) => pods[key]),
    })),
    site: { now: hour.site.now, series: lines(siteNames, ({ site }) => site) },
  };
}

type Values<Name extends string> = Record<Name, number | null>;

function headOf(
  { applicationName, environment }: Deployment,
  range: 'hour' | 'day',
  from: Instant,
  stepSeconds: number,
) {
  return { applicationName, environment, range, from: printInstant(from), stepSeconds };
}

function podRecord(deployment: Deployment, metrics: PodMetrics, now: Instant) {
  const { pod, replica, revision, startedAt, cpuLimitMillis, memoryLimitBytes } = metrics;
  return {
    name: pod,
    replica,
    revision,
    startedAt: printInstant(startedAt),
    ...endsOf(deployment, pod, now),
    ...(cpuLimitMillis !== undefined && { cpuLimitMillis }),
    ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
    ...(metrics.now && { now: rounded(metrics.now) }),
    series: roundedLines(metrics.series),
  };
}

/** Returns pods without values in the last hour, the last ended first, up to the maximum of the hour. */
function pastNames(kept: readonly StoredMetrics[], known: ReadonlyMap<string, { now?: unknown }>): string[] {
  const ended = [...known.values()].filter(({ now }) => now === undefined).length;
  const newestFirst = kept.toReversed().flatMap(({ pods }) => Object.keys(pods));
  const past = [...new Set(newestFirst)].filter((key) => !known.has(key));
  return past.slice(0, Math.max(0, maxEndedPods - ended));
}

/** Returns a pod that ran within the day, but not within the hour. */
function pastPod(deployment: Deployment, key: string, now: Instant) {
  const slash = key.lastIndexOf('/');
  const name = key.slice(0, slash);
  return { name, replica: Number(key.slice(slash + 1)), ...endsOf(deployment, name, now) };
}

/** The number of restarts and the last exit, as in the status. */
function endsOf(deployment: Deployment, pod: string, now: Instant) {
  const found = statusAt(deployment, now).pods.find(({ name }) => name === pod);
  const lastExit = found?.lastExit;
  return {
    restarts: found?.restarts ?? 0,
    ...(lastExit && { lastExit: { ...lastExit, at: printInstant(lastExit.at) } }),
  };
}

function lineUp<Name extends string>(
  names: readonly Name[],
  steps: number,
  at: (step: number) => Values<Name> | undefined,
): SeriesOf<Values<Name>> {
  const line = (name: Name) => Array.from({ length: steps }, (_, step) => at(step)?.[name] ?? null);
  return Object.fromEntries(names.map((name) => [name, line(name)])) as SeriesOf<Values<Name>>;
}

function roundedLines<Name extends string>(lines: SeriesOf<Values<Name>>): SeriesOf<Values<Name>> {
  const all = Object.entries<(number | null)[]>(lines).map(([name, line]) => [name, line.map(round)]);
  return Object.fromEntries(all) as SeriesOf<Values<Name>>;
}

function rounded<Name extends string>(values: Values<Name>): Values<Name> {
  return Object.fromEntries(
    Object.entries<number | null>(values).map(([name, value]) => [name, round(value)]),
  ) as Values<Name>;
}

/** Thousandths are invisible in a chart, and every digit is transferred. */
function round(value: number | null): number | null {
  return value === null ? null : value >= 1_000 ? Math.round(value) : Math.round(value * 1_000) / 1_000;
}
