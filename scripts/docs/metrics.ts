/** The metrics, in Markdown. */
import { exposeDeployments } from '../../src/api/operations/deployment-exposition.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { table } from './markdown.ts';

export async function renderMetrics(): Promise<string> {
  const { registry } = createMetrics();
  const own = described(await registry.metrics())
    .filter(({ name }) => name.startsWith('berth_'))
    .map(({ name, type, help }) => [`\`${name}\``, type, labelsOf(registry.getSingleMetric(name)), help]);
  const { text } = await exposeDeployments([], async () => []);
  const deployments = described([...text].join('')).map(({ name, type, help }) => [`\`${name}\``, type, help]);
  return `# Metrics

\`GET /metrics\` at the API's address returns metrics in Prometheus format. Without \`BERTH_METRICS_TOKEN\`, it answers
only clients on this machine (by the address that the edge sees); other clients receive 404. Behind your own proxy, every
client has the proxy's address: set the token, and send it as \`Authorization: Bearer …\`. Labels contain no names,
tokens or hosts. [Monitor](../guides/monitor.md) says which metrics need an alert.

${table(['Metric', 'Type', 'Labels', 'Meaning'], own)}

\`process_…\` and \`nodejs_…\` describe the service itself: processor time, memory, open files, event loop delay and
garbage collection.

## Deployments

\`GET /metrics/deployments\` has the same access rules. It returns measurements of each deployment, taken every ten
seconds, for deployments that run or had requests within the last hour. Labels contain names that users chose:
\`deployment\` (the ID), \`application\`, \`environment\`, and \`pod\` and \`replica\`, or \`volume\`. Owners see the same
values in the dashboard and by [\`GET /getDeploymentMetrics\`](requests.md#get-getdeploymentmetrics). With several control
planes, each has its own edge: sum the requests over all of them.

${table(['Metric', 'Type', 'Meaning'], deployments)}`;
}

/** The metrics of an exposition in Prometheus format. */
function described(text: string): { name: string; help: string; type: string }[] {
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(([, name, help, type]) => {
    return { name: name!, help: help!, type: type! };
  });
}

/** `prom-client` keeps them in a field that its types do not name. */
function labelsOf(metric: object | undefined): string {
  const { labelNames = [] } = (metric ?? {}) as { labelNames?: readonly string[] };
  return labelNames.map((label) => `\`${label}\``).join(', ');
}
