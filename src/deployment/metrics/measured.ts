/** Recent measurements of all deployments, in memory. */
import { yieldEvery } from '../../lib/yield-event-loop.ts';
import type { Instant } from '../deployment.ts';
import {
  type DeploymentMetrics,
  type DeploymentTotals,
  type PodMetrics,
  type PodValues,
  podNames,
  podValues,
  type SeriesOf,
  type SiteValues,
  type StoredMetrics,
  siteNames,
  siteValues,
} from './deployment-metrics.ts';
import { createSeries, meanOf, retainedSteps, type Series, stepAt, stepMs } from './series.ts';
import { add, noRequests, type RequestCounts, type VolumeUse, type WorkloadUse } from './use.ts';

/** Limits the memory for ended pods. Equal to the default maximum of containers per deployment. */
export const maxEndedPods = 60;

/** Deployments that are processed in one turn of the event loop, in some milliseconds. */
const atOnce = 100;

/**
 * The number of steps in the current values of a site. With fewer steps, single requests would make the values jump.
 */
const recentSteps = 6;

/** Values older than this many steps are not current. A measurement may be late on a busy machine. */
const freshSteps = 3;

export type Measurement = {
  at: Instant;
  /** Milliseconds since the previous measurement; 0 at the first. */
  elapsedMs: number;
  /** False if the engine never measures pods; default: whether this measurement has pods. */
  arePodsMeasured?: boolean;
  /** Undefined if pods were not measured. */
  uses: readonly WorkloadUse[] | undefined;
  /** Requests by deployment, since the last measurement with requests. Undefined if they were not counted. */
  requests: ReadonlyMap<string, RequestCounts> | undefined;
  /** Undefined: unchanged since the previous measurement. */
  volumes?: readonly VolumeUse[] | undefined;
};

export type Measured = {
  /** Adds a measurement in several turns of the event loop. Calls must not overlap. */
  add(look: Measurement): Promise<void>;
  /** Returns the metrics of a deployment: empty series if it was never measured. */
  of(deploymentId: string, now: Instant): DeploymentMetrics;
  /** Returns the totals of all deployments in the last measurement. */
  totals(): Iterable<DeploymentTotals>;
  /** Returns the means of the last steps of all deployments, for the store, and begins a new period. */
  endPeriod(at: Instant, steps: number): Promise<Map<string, StoredMetrics>>;
};

type Pod = { last: WorkloadUse; lastStep: number; lastMeasurement: number; series: Series<(typeof podNames)[number]> };

type Known = {
  pods: Map<string, Pod>;
  volumes: VolumeUse[];
  site: Series<(typeof siteNames)[number]> | undefined;
  recent: { step: number; counts: RequestCounts; elapsedMs: number }[];
  all: RequestCounts;
  period: { counts: RequestCounts; elapsedMs: number };
  /** The step of the last measurement. */
  step: number;
};

export function createMeasured(): Measured {
  const known = new Map<string, Known>();
  let arePodsMeasured = false;
  let lastStep = 0;
  let looks = 0;
  /** Milliseconds since requests were last counted. The next count covers all of them. */
  let uncountedMs = 0;

  function find(deploymentId: string): Known {
    const found = known.get(deploymentId) ?? newlyKnown();
    known.set(deploymentId, found);
    return found;
  }

  function addPod(use: WorkloadUse, step: number, elapsedMs: number): void {
    const deployment = find(use.deploymentId);
    deployment.step = step;
    const key = keyOf(use);
    const pod = deployment.pods.get(key) ?? {
      last: use,
      lastStep: -1,
      lastMeasurement: -1,
      series: createSeries(podNames),
    };
    // During an update, both revisions run; the newer one continues the series.
    if (pod.lastMeasurement === looks && pod.last.revision > use.revision) return;
    // After a missing measurement, the elapsed time of its counters is unknown.
    const before = pod.lastMeasurement === looks - 1 ? pod.last : undefined;
    pod.series.add(step, podValues(before, use, elapsedMs));
    deployment.pods.set(key, { ...pod, last: use, lastStep: step, lastMeasurement: looks });
  }

  function addSite(deploymentId: string, counts: RequestCounts, step: number, elapsedMs: number): void {
    const deployment = known.get(deploymentId);
    if (!deployment && counts.requests === 0) return;
    const found = deployment ?? find(deploymentId);
    if (counts.requests > 0) {
      found.step = step;
      found.site ??= createSeries(siteNames);
    }
    found.site?.add(step, siteValues(counts, elapsedMs));
    found.all = add(found.all, counts);
    found.period = { counts: add(found.period.counts, counts), elapsedMs: found.period.elapsedMs + elapsedMs };
    found.recent = [...found.recent.filter((each) => each.step > step - recentSteps), { step, counts, elapsedMs }];
  }

  return {
    async add({ at, elapsedMs, uses, requests, volumes, arePodsMeasured: areMeasured = uses !== undefined }) {
      looks++;
      const step = stepAt(at);
      // The clock was set back: all stored values would be in the future.
      if (step < lastStep) {
        known.clear();
        lastStep = step;
      }
      arePodsMeasured = areMeasured;
      const next = yieldEvery(atOnce);
      for (const use of uses ?? []) {
        const wait = next();
        if (wait) await wait;
        addPod(use, step, elapsedMs);
      }
      uncountedMs += elapsedMs;
      if (requests) {
        for (const deploymentId of new Set([...known.keys(), ...requests.keys()])) {
          const wait = next();
          if (wait) await wait;
          addSite(deploymentId, requests.get(deploymentId) ?? noRequests, step, uncountedMs);
        }
        uncountedMs = 0;
      }
      if (volumes) {
        const byDeployment = Map.groupBy(volumes, ({ deploymentId }) => deploymentId);
        for (const [deploymentId, deployment] of known) deployment.volumes = byDeployment.get(deploymentId) ?? [];
      }
      for (const [deploymentId, { step: last, pods }] of known) {
        for (const [key, pod] of pods) if (pod.lastStep <= step - retainedSteps) pods.delete(key);
        if (uses) for (const key of surplus(pods, looks)) pods.delete(key);
        if (last <= step - retainedSteps) known.delete(deploymentId);
      }
      // Until now, readers got the previous measurement.
      lastStep = step;
    },

    of(deploymentId, now) {
      // The current step is measured in its middle. Before that, the last step is the newest possible one.
      const to = Math.max(lastStep, stepAt(now) - 1);
      const from = to - retainedSteps + 1;
      const found = known.get(deploymentId) ?? newlyKnown();
      return {
        from: from * stepMs,
        stepSeconds: stepMs / 1_000,
        arePodsMeasured,
        pods: [...found.pods.values()].map((pod) => podMetrics(pod, from, to)).sort(byName),
        volumes: found.volumes.map(({ deploymentId: _, ...volume }) => volume),
        site: { now: recentSite(found, to), series: seriesOf(siteNames, found.site, from, to) },
      };
    },

    *totals() {
      for (const [deploymentId, found] of known) {
        if (found.step <= lastStep - retainedSteps) continue;
        const uses = [...found.pods.values()].filter((pod) => pod.lastStep >= lastStep).map(({ last }) => last);
        const site = recentSite(found, lastStep);
        yield { deploymentId, uses, volumes: found.volumes, requests: found.all, site };
      }
    },

    async endPeriod(at, steps) {
      const ended = new Map<string, StoredMetrics>();
      const to = lastStep;
      const next = yieldEvery(atOnce);
      for (const [deploymentId, found] of known) {
        const wait = next();
        if (wait) await wait;
        const { counts, elapsedMs } = found.period;
        found.period = { counts: noRequests, elapsedMs: 0 };
        const pods = [...found.pods].filter(([, pod]) => pod.lastStep > to - steps);
        if (pods.length === 0 && counts.requests === 0) continue;
        const kept = pods.map(([key, { series }]) => [key, meansOf(series, to - steps + 1, to)] as const);
        ended.set(deploymentId, { at, pods: Object.fromEntries(kept), site: siteValues(counts, elapsedMs) });
      }
      return ended;
    },
  };
}

function newlyKnown(): Known {
  const period = { counts: noRequests, elapsedMs: 0 };
  return { pods: new Map(), volumes: [], site: undefined, recent: [], all: noRequests, period, step: 0 };
}

function keyOf({ pod, replica }: WorkloadUse): string {
  return `${pod}/${replica}`;
}

/** Returns ended pods above the maximum, the first ended ones first. */
function surplus(pods: ReadonlyMap<string, Pod>, lastMeasurement: number): string[] {
  if (pods.size <= maxEndedPods) return [];
  const ended = [...pods].filter(([, pod]) => pod.lastMeasurement !== lastMeasurement);
  const oldestFirst = ended.sort(([, one], [, other]) => one.lastMeasurement - other.lastMeasurement);
  return oldestFirst.slice(0, Math.max(0, ended.length - maxEndedPods)).map(([key]) => key);
}

function podMetrics({ last, lastStep, series }: Pod, from: number, to: number): PodMetrics {
  const { deploymentId: _, cpuMs: _cpu, memoryBytes: _memory, receivedBytes: _in, sentBytes: _out, ...told } = last;
  const newest = series.newest();
  return {
    ...told,
    ...(newest && lastStep > to - freshSteps && { now: newest.values }),
    series: seriesOf(podNames, series, from, to),
  };
}

function recentSite({ recent }: Known, to: number): SiteValues {
  const fresh = recent.filter(({ step }) => step > to - recentSteps);
  const counts = fresh.reduce((sum, each) => add(sum, each.counts), noRequests);
  return siteValues(
    counts,
    fresh.reduce((sum, each) => sum + each.elapsedMs, 0),
  );
}

function seriesOf<Name extends string>(
  names: readonly Name[],
  series: Series<Name> | undefined,
  from: number,
  to: number,
): SeriesOf<Record<Name, number | null>> {
  const nothing = () => Array.from({ length: to - from + 1 }, () => null);
  return Object.fromEntries(names.map((name) => [name, series?.read(name, from, to) ?? nothing()])) as SeriesOf<
    Record<Name, number | null>
  >;
}

function meansOf(series: Series<(typeof podNames)[number]>, from: number, to: number): PodValues {
  const means = podNames.map((name) => [name, meanOf(series.read(name, from, to))] as const);
  const most = series.read('memoryBytes', from, to).filter((value) => value !== null);
  return {
    ...(Object.fromEntries(means) as PodValues),
    memoryBytes: most.length === 0 ? null : Math.max(...most),
  };
}

function byName(one: PodMetrics, other: PodMetrics): number {
  return one.pod === other.pod ? one.replica - other.replica : one.pod < other.pod ? -1 : 1;
}
