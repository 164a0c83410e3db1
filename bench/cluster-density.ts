/** The cost of a service with many live deployments on a cluster, while nothing changes. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { connectCluster } from '../src/engine/kubernetes/cluster.ts';
import { openFakeNode } from '../test/kubernetes/fake-node.ts';
import { createBerth, type Started, until } from '../test/scenarios/berth.ts';

export type ClusterDensity = {
  deployments: number;
  seconds: number;
  visits: number;
  /** Requests of the service; what keeps its watches open is in `watches` alone. */
  requests: number;
  /** Requests of all clients that the API server answered while nothing changed, and the watches among them. */
  served: number;
  watches: number;
  /** The share of one processor. */
  share: number;
  bytes: number;
};

const port = 8080;
const startsAtOnce = 10;
const ticksPerSecond = 100;

const yaml = (number: number) => `application:
  name: small-${number}
  pods:
    - { name: web, image: node:26-slim, path: /, servicePorts: [${port}], resources: { requests: { memory: 32Mi } } }
`;

export async function measureClusterDensity(
  { deployments, seconds }: { deployments: number; seconds: number },
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<ClusterDensity> {
  await using opened = new AsyncDisposableStack();
  opened.use(await openFakeNode(port));
  const berth = await createBerth({ BERTH_LIFETIME: '1d' }, { engine: 'kubernetes' });
  opened.defer(() => berth.destroy());
  const { pid } = await berth.serve();
  const cluster = await connectCluster();
  const all: Started[] = [];
  for (let first = 0; first < deployments; first += startsAtOnce) {
    signal.throwIfAborted();
    const numbers = Array.from({ length: Math.min(startsAtOnce, deployments - first) }, (_, index) => first + index);
    all.push(...(await Promise.all(numbers.map((number) => berth.start(yaml(number))))));
  }
  for (const started of all) {
    signal.throwIfAborted();
    await berth.reach(started, 'running');
  }
  say(`${deployments} run`);
  // Remaining work of the last starts.
  await until('nothing is written any more', async () => {
    const before = await requestsOf();
    await delay(5_000, undefined, { signal });
    return (await requestsOf()) === before;
  });
  const before = await look();
  await delay(seconds * 1_000, undefined, { signal });
  const after = await look();
  const difference = (of: (seen: Awaited<ReturnType<typeof look>>) => number) => of(after) - of(before);
  return {
    deployments,
    seconds,
    bytes: after.bytes,
    visits: difference(({ visits }) => visits),
    requests: difference(({ requests }) => requests),
    served: difference(({ served }) => served),
    watches: difference(({ watches }) => watches),
    share: difference(({ processorSeconds }) => processorSeconds) / seconds,
  };

  async function requestsOf(): Promise<number> {
    return sumOf((await berth.get('/metrics')).text, 'berth_cluster_requests_total');
  }

  async function look() {
    const { text } = await berth.get('/metrics');
    const server = await (await cluster.open('/metrics', {}, AbortSignal.timeout(30_000))).toArray();
    const served = Buffer.concat(server).toString();
    const stat = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
    const resident = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    return {
      visits: sumOf(text, 'berth_visits_total'),
      requests: sumOf(text, 'berth_cluster_requests_total'),
      served: sumOf(served, 'apiserver_request_total'),
      watches: sumOf(served, 'apiserver_request_total', 'verb="WATCH"'),
      processorSeconds: (Number(stat[11]) + Number(stat[12])) / ticksPerSecond,
      bytes: Number(resident) * 1024,
    };
  }
}

/** Returns the sum of all lines of the metric, or of those with this label. */
function sumOf(metrics: string, metric: string, label = ''): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(metric) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
