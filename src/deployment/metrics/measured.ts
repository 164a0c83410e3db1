/** What has been measured of all deployments lately, in memory: each look adds to it, whoever asks reads from it. */
import { turnEvery } from '../../lib/turns.ts';
import type { Instant } from '../deployment.ts';
import type { DeploymentMetrics, DeploymentTotals, KeptMetrics, PodMetrics, SeriesOf } from './deployment-metrics.ts';
import { type PodValues, podNames, podValues, type SiteValues, siteNames, siteValues } from './rates.ts';
import { add, noRequests } from './request-tally.ts';
import { createSeries, keptSteps, meanOf, type Series, stepAt, stepMs } from './series.ts';
import type { RequestCounts, VolumeUse, WorkloadUse } from './use.ts';

/** As many as a deployment has containers by default: without a bound, new names again and again would fill the memory. */
export const mostEndedPods = 60;

/** Deployments that are noted without letting anybody else in between: some milliseconds. */
const atOnce = 100;

/** Steps that make what is told as "now" of a site: single requests would jump. */
const recentSteps = 6;

/** What is older than this many steps is not "now": a look may come late on a busy machine. */
const freshSteps = 3;

export type Look = {
  at: Instant;
  /** Milliseconds since the look before; 0 at the first. */
  elapsedMs: number;
  /** False where nothing is ever told of pods; default: whether this look has told of them. */
  arePodsMeasured?: boolean;
  /** Undefined where nothing is told of them. */
  uses: readonly WorkloadUse[] | undefined;
  /** By deployment, since the last look that had them; undefined where they could not be counted. */
  requests: ReadonlyMap<string, RequestCounts> | undefined;
  /** Undefined: as at the look before. */
  volumes?: readonly VolumeUse[] | undefined;
};

export type Measured = {
  /** In parts, between which others have their turn: one after the other. */
  note(look: Look): Promise<void>;
  /** Of a deployment that nothing was measured of yet: an hour of nothing. */
  of(deploymentId: string, now: Instant): DeploymentMetrics;
  /** Of all that something was measured of at the last look. */
  totals(): Iterable<DeploymentTotals>;
  /** Means of the last steps, for the store, of all deployments; begins a new period. */
  endPeriod(at: Instant, steps: number): Promise<Map<string, KeptMetrics>>;
};

type Pod = { last: WorkloadUse; lastStep: number; lastLook: number; series: Series<(typeof podNames)[number]> };

type Known = {
  pods: Map<string, Pod>;
  volumes: VolumeUse[];
  site: Series<(typeof siteNames)[number]> | undefined;
  recent: { step: number; counts: RequestCounts; elapsedMs: number }[];
  all: RequestCounts;
  period: { counts: RequestCounts; elapsedMs: number };
  /** When something was measured last. */
  step: number;
};

export function createMeasured(): Measured {
  const known = new Map<string, Known>();
  let arePodsMeasured = false;
  let lastStep = 0;
  let looks = 0;
  /** Milliseconds of the looks before that had no requests: the next one has those of all of them. */
  let uncountedMs = 0;

  function find(deploymentId: string): Known {
    const found = known.get(deploymentId) ?? newlyKnown();
    known.set(deploymentId, found);
    return found;
  }

  function notePod(use: WorkloadUse, step: number, elapsedMs: number): void {
    const deployment = find(use.deploymentId);
    deployment.step = step;
    const key = keyOf(use);
    const pod = deployment.pods.get(key) ?? { last: use, lastStep: -1, lastLook: -1, series: createSeries(podNames) };
    // While an update runs both are there; the newer one goes on with the line.
    if (pod.lastLook === looks && pod.last.revision > use.revision) return;
    // Of one that was missing at the look before, nobody knows since when it has used what.
    const before = pod.lastLook === looks - 1 ? pod.last : undefined;
    pod.series.note(step, podValues(before, use, elapsedMs));
    deployment.pods.set(key, { ...pod, last: use, lastStep: step, lastLook: looks });
  }

  function noteSite(deploymentId: string, counts: RequestCounts, step: number, elapsedMs: number): void {
    const deployment = known.get(deploymentId);
    if (!deployment && counts.requests === 0) return;
    const found = deployment ?? find(deploymentId);
    if (counts.requests > 0) {
      found.step = step;
      found.site ??= createSeries(siteNames);
    }
    found.site?.note(step, siteValues(counts, elapsedMs));
    found.all = add(found.all, counts);
    found.period = { counts: add(found.period.counts, counts), elapsedMs: found.period.elapsedMs + elapsedMs };
    found.recent = [...found.recent.filter((each) => each.step > step - recentSteps), { step, counts, elapsedMs }];
  }

  return {
    async note({ at, elapsedMs, uses, requests, volumes, arePodsMeasured: areMeasured = uses !== undefined }) {
      looks++;
      const step = stepAt(at);
      // The clock was set back: everything kept would be of the future.
      if (step < lastStep) {
        known.clear();
        lastStep = step;
      }
      arePodsMeasured = areMeasured;
      const next = turnEvery(atOnce);
      for (const use of uses ?? []) {
        const wait = next();
        if (wait) await wait;
        notePod(use, step, elapsedMs);
      }
      uncountedMs += elapsedMs;
      if (requests) {
        for (const deploymentId of new Set([...known.keys(), ...requests.keys()])) {
          const wait = next();
          if (wait) await wait;
          noteSite(deploymentId, requests.get(deploymentId) ?? noRequests, step, uncountedMs);
        }
        uncountedMs = 0;
      }
      if (volumes) {
        const byDeployment = Map.groupBy(volumes, ({ deploymentId }) => deploymentId);
        for (const [deploymentId, deployment] of known) deployment.volumes = byDeployment.get(deploymentId) ?? [];
      }
      for (const [deploymentId, { step: last, pods }] of known) {
        for (const [key, pod] of pods) if (pod.lastStep <= step - keptSteps) pods.delete(key);
        if (uses) for (const key of surplus(pods, looks)) pods.delete(key);
        if (last <= step - keptSteps) known.delete(deploymentId);
      }
      // Until here whoever asks is told of the look before.
      lastStep = step;
    },

    of(deploymentId, now) {
      // The present step is measured in its middle: until then the last one is the newest that there can be.
      const to = Math.max(lastStep, stepAt(now) - 1);
      const from = to - keptSteps + 1;
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
        if (found.step <= lastStep - keptSteps) continue;
        const uses = [...found.pods.values()].filter((pod) => pod.lastStep >= lastStep).map(({ last }) => last);
        const site = recentSite(found, lastStep);
        yield { deploymentId, uses, volumes: found.volumes, requests: found.all, site };
      }
    },

    async endPeriod(at, steps) {
      const ended = new Map<string, KeptMetrics>();
      const to = lastStep;
      const next = turnEvery(atOnce);
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

/** Of those that were not there at the last look, all but those that ended last. */
function surplus(pods: ReadonlyMap<string, Pod>, lastLook: number): string[] {
  if (pods.size <= mostEndedPods) return [];
  const ended = [...pods].filter(([, pod]) => pod.lastLook !== lastLook);
  const oldestFirst = ended.sort(([, one], [, other]) => one.lastLook - other.lastLook);
  return oldestFirst.slice(0, Math.max(0, ended.length - mostEndedPods)).map(([key]) => key);
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
