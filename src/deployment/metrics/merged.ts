/** PURE. Merges the measurements of several processes, each of its own edge and the pods that it sees. */
import type { KeptMetrics } from './deployment-metrics.ts';
import { type PodValues, podNames, type SiteValues } from './rates.ts';

/** Merges measurements of one instant, at least one: all pods, and the sum of all edges' requests. */
export function mergeKept([first, ...others]: readonly [KeptMetrics, ...KeptMetrics[]]): KeptMetrics {
  return others.reduce(
    (sum, each) => ({ at: sum.at, pods: mergePods(sum.pods, each.pods), site: mergeSites(sum.site, each.site) }),
    first,
  );
}

/** Processes on one engine see the same pods, so a missing value is taken from another process. */
function mergePods(one: KeptMetrics['pods'], other: KeptMetrics['pods']): KeptMetrics['pods'] {
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
