/** PURE. What several processes have measured of the same minutes, each its own edge and the pods that it sees, as one. */
import type { KeptMetrics } from './deployment-metrics.ts';
import { type PodValues, podNames, type SiteValues } from './rates.ts';

/** Of one instant. Pods are those of all; what edges have passed on is one sum. At least one. */
export function mergeKept([first, ...others]: readonly [KeptMetrics, ...KeptMetrics[]]): KeptMetrics {
  return others.reduce(
    (sum, each) => ({ at: sum.at, pods: mergePods(sum.pods, each.pods), site: mergeSites(sum.site, each.site) }),
    first,
  );
}

/** Processes on one engine see the same pods: where one has nothing, another one's counts. */
function mergePods(one: KeptMetrics['pods'], other: KeptMetrics['pods']): KeptMetrics['pods'] {
  const pods = new Map(Object.entries(one));
  for (const [key, values] of Object.entries(other)) {
    const found = pods.get(key);
    const merged = podNames.map((name) => [name, found?.[name] ?? values[name]] as const);
    pods.set(key, Object.fromEntries(merged) as PodValues);
  }
  return Object.fromEntries(pods);
}

/** Quantiles of several edges tell none of all: the mean, by how much each was asked, lies between them, as that one does. */
function mergeSites(one: SiteValues, other: SiteValues): SiteValues {
  const sum = (name: keyof SiteValues) =>
    one[name] === null || other[name] === null ? (one[name] ?? other[name]) : one[name] + other[name];
  const mean = (name: keyof SiteValues) => {
    const told = [one, other].filter((site) => site[name] !== null);
    const all = told.reduce((weight, { requestsPerSecond }) => weight + (requestsPerSecond ?? 0), 0);
    if (all === 0) return told[0]?.[name] ?? null;
    return told.reduce((weighed, site) => weighed + (site[name]! * (site.requestsPerSecond ?? 0)) / all, 0);
  };
  return {
    requestsPerSecond: sum('requestsPerSecond'),
    clientErrorsPerSecond: sum('clientErrorsPerSecond'),
    serverErrorsPerSecond: sum('serverErrorsPerSecond'),
    p50Ms: mean('p50Ms'),
    p95Ms: mean('p95Ms'),
  };
}
