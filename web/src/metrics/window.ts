/** The shown part of the measurements: a deployment that is two minutes old has no values for an hour. Pure. */
import type { DeploymentMetrics } from '../service/records.ts';
import type { Line } from './scale.ts';

/** Two minutes for steps of ten seconds, an hour for steps of five minutes. */
const minSteps = 12;

/** Removes the steps before the first value, but leaves a minimum. */
export function measuredPart(metrics: DeploymentMetrics): DeploymentMetrics {
  const { pods, site, from, stepSeconds } = metrics;
  const all = [site.series, ...pods.map(({ series }) => series)].flatMap((series) => Object.values<Line>(series));
  const steps = all[0]?.length ?? 0;
  const first = all.reduce((least, line) => {
    const at = line.findIndex((value) => value !== null);
    return at === -1 ? least : Math.min(least, at);
  }, steps);
  const skipped = Math.max(0, Math.min(first, steps - minSteps));
  const cut = <Name extends string>(series: Record<Name, Line>): Record<Name, (number | null)[]> =>
    Object.fromEntries(Object.entries<Line>(series).map(([name, line]) => [name, line.slice(skipped)])) as Record<
      Name,
      (number | null)[]
    >;
  return {
    ...metrics,
    from: new Date(Date.parse(from) + skipped * stepSeconds * 1_000).toISOString(),
    pods: pods.map((pod) => ({ ...pod, series: cut(pod.series) })),
    site: { ...site, series: cut(site.series) },
  };
}

/** Prints the length of the window: `The last 5 minutes`, `The last hour`. */
export function spanText({ site, stepSeconds }: DeploymentMetrics): string {
  const minutes = Math.round((site.series.requestsPerSecond.length * stepSeconds) / 60);
  if (minutes < 60) return `The last ${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? 'The last hour' : hours === 24 ? 'The last day' : `The last ${hours} hours`;
}
