/**
 * The measurements of each deployment in Prometheus' format. Labels contain the names of the deployment, its pods and
 * volumes, so the metrics reveal what each owner runs.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Counter, Gauge, Registry } from 'prom-client';
import type { DeploymentTotals } from '../../deployment/metrics/deployment-metrics.ts';

/** The identity of a deployment. */
export type Named = { id: string; applicationName: string; environment: string };

const deploymentLabels = ['deployment', 'application', 'environment'] as const;
const podLabels = [...deploymentLabels, 'pod', 'replica'] as const;

/** The number of deployments that are written before yielding to the event loop, which takes some milliseconds. */
const atOnce = 50;

/**
 * Written in parts, because thousands of deployments at once would block other requests. Deployments that `namesOf`
 * does not find have ended.
 */
export async function exposeDeployments(
  totals: Iterable<DeploymentTotals>,
  namesOf: (ids: string[]) => Promise<readonly Named[]>,
): Promise<{ contentType: string; text: Iterable<string> }> {
  // All samples of a metric must be consecutive.
  const texts = new Map<string, string[]>();
  for (const part of partsOf(totals)) {
    const registry = registryOf(part, await namesOf(part.map(({ deploymentId }) => deploymentId)));
    for (const { name } of registry.getMetricsAsArray()) {
      const text = await registry.getSingleMetricAsString(name);
      const written = texts.get(name);
      if (written) written.push(text.replace(/^#.*\n?/gm, ''));
      else texts.set(name, [text]);
    }
    await turn();
  }
  return { contentType: new Registry().contentType, text: linesOf(texts.values()) };
}

function* linesOf(texts: Iterable<readonly string[]>): Generator<string> {
  for (const parts of texts) for (const part of parts) if (part !== '') yield `${part.trimEnd()}\n`;
}

function* partsOf(totals: Iterable<DeploymentTotals>): Generator<DeploymentTotals[]> {
  let part: DeploymentTotals[] = [];
  for (const each of totals) {
    part.push(each);
    if (part.length < atOnce) continue;
    yield part;
    part = [];
  }
  // Without deployments, the metrics are listed all the same.
  yield part;
}

function registryOf(totals: readonly DeploymentTotals[], named: readonly Named[]): Registry {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `berth_${name}`, help, labelNames, registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `berth_${name}`, help, labelNames, registers });

  const cpu = counter('pod_cpu_seconds_total', 'CPU time of a pod since its start.', podLabels);
  const cpuLimit = gauge('pod_cpu_limit_cores', 'CPU limit of a pod.', podLabels);
  const memory = gauge('pod_memory_bytes', 'Memory use of a pod, without reclaimable cache.', podLabels);
  const memoryLimit = gauge('pod_memory_limit_bytes', 'Memory limit of a pod.', podLabels);
  const received = counter('pod_network_received_bytes_total', 'Since its start.', podLabels);
  const sent = counter('pod_network_sent_bytes_total', 'Since its start.', podLabels);
  const started = gauge('pod_start_seconds', 'Last start of a pod, in seconds since 1970.', podLabels);
  const volumeLabels = [...deploymentLabels, 'volume'] as const;
  const volumeUsed = gauge('volume_used_bytes', 'Used bytes of a volume with a hard limit.', volumeLabels);
  const volumeSize = gauge('volume_size_bytes', 'Size of a volume with a hard limit.', volumeLabels);
  const requests = counter(
    'site_requests_total',
    'Requests that this edge forwarded since this process started to measure.',
    deploymentLabels,
  );
  const errorLabels = [...deploymentLabels, 'class'] as const;
  const errors = counter('site_errors_total', 'Forwarded requests with a 4xx or 5xx response.', errorLabels);
  const timeLabels = [...deploymentLabels, 'quantile'] as const;
  const times = gauge('site_answer_seconds', 'Time to the first byte, over the last minute.', timeLabels);

  const byId = new Map(named.map((each) => [each.id, each]));
  for (const { deploymentId, uses, volumes, requests: counts, site } of totals) {
    const found = byId.get(deploymentId);
    if (!found) continue;
    const labels = { deployment: deploymentId, application: found.applicationName, environment: found.environment };
    for (const use of uses) {
      const of = { ...labels, pod: use.pod, replica: use.replica };
      cpu.inc(of, use.cpuMs / 1_000);
      if (use.cpuLimitMillis !== undefined) cpuLimit.set(of, use.cpuLimitMillis / 1_000);
      memory.set(of, use.memoryBytes);
      if (use.memoryLimitBytes !== undefined) memoryLimit.set(of, use.memoryLimitBytes);
      received.inc(of, use.receivedBytes);
      sent.inc(of, use.sentBytes);
      started.set(of, use.startedAt / 1_000);
    }
    for (const { volume, usedBytes, sizeBytes } of volumes) {
      volumeUsed.set({ ...labels, volume }, usedBytes);
      volumeSize.set({ ...labels, volume }, sizeBytes);
    }
    requests.inc(labels, counts.requests);
    errors.inc({ ...labels, class: '4xx' }, counts.clientErrors);
    errors.inc({ ...labels, class: '5xx' }, counts.serverErrors);
    for (const [quantile, ms] of [
      ['0.5', site.p50Ms],
      ['0.95', site.p95Ms],
    ] as const)
      if (ms !== null) times.set({ ...labels, quantile }, ms / 1_000);
  }
  return registry;
}
