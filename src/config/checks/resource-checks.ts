/** Limits and replicas. */
import type { PodContext } from './context.ts';

export function checkResources({ pod, path, report }: PodContext): void {
  const { requests, limits } = pod.resources;
  for (const field of ['cpuMillis', 'memoryBytes'] as const) {
    const name = field === 'cpuMillis' ? 'cpu' : 'memory';
    const limit = limits[field];
    const request = requests[field];
    if (limit === undefined || request === undefined || limit >= request) continue;
    const hint = `raise "limits.${name}", or lower "requests.${name}"`;
    report.error([...path, 'resources', 'limits', name], 'limit-below-request', 'the limit is below the request', {
      hint,
    });
  }
  if (pod.replicas > 1 && (pod.resourceType === 'job' || pod.resourceType === 'daemonset')) {
    const message = `a ${pod.resourceType} has no replicas: they are ignored`;
    report.warn([...path, 'replicas'], 'ignored-replicas', message);
  }
}
