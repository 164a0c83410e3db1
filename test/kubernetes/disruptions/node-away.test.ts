/** A node that disappears: a second one, with everything on it, killed at once. The cluster handles the rest. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectDocker } from '../../../src/engine/docker/connect-docker.ts';
import { type Cluster, connectCluster } from '../../../src/engine/kubernetes/cluster.ts';
import { namespaceName } from '../../../src/engine/kubernetes/names.ts';
import type { FoundPod, FoundService } from '../../../src/engine/kubernetes/objects.ts';
import { buildImage } from '../../contract/image.ts';
import { identityPath, port } from '../../contract/program.ts';
import { type Berth, createBerth, until } from '../../scenarios/berth.ts';
import { openSecondNode, type SecondNode, secondNode } from '../second-node.ts';

const pods = ['web', 'other'];

let cluster: Cluster;
let berth: Berth;
let away: SecondNode;
let image: string;
before(async () => {
  cluster = await connectCluster();
  image = await buildImage(await connectDocker(), { name: 'contract' });
  berth = await createBerth({}, { engine: 'kubernetes' });
  away = await openSecondNode([image]);
});
after(async () => {
  await berth?.destroy();
  await away?.[Symbol.asyncDispose]();
});

type Placed = FoundPod & { spec?: { nodeName?: string } };

/** Each with the node that it is on, of those that are not being removed. */
async function placesIn(namespace: string): Promise<Map<string, Placed>> {
  const { items } = await cluster.request<{ items: Placed[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
  const living = items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.podIP !== undefined);
  return new Map(living.map((pod) => [pod.metadata.labels?.['berth.pod'] ?? '', pod]));
}

test('workloads without volumes answer from another node when their own is away, with Berth down, and by their URL once that is back', async () => {
  await berth.serve();
  const app = await berth.start(`application:
  name: moved
  pods:
    - { name: web, image: "${image}", path: /, servicePorts: [${port}], vars: { IDENTITY: the web } }
    - { name: other, image: "${image}", servicePorts: [${port}], vars: { IDENTITY: the other } }
`);
  await berth.reach(app, 'running');
  const url = new URL(identityPath, app.url).href;
  assert.match((await berth.visit(url)).text, /the web/);
  const namespace = namespaceName((await berth.row(app)).id);
  const before = await placesIn(namespace);
  assert.deepEqual(
    pods.map((pod) => before.get(pod)?.spec?.nodeName),
    pods.map(() => secondNode),
  );
  await berth.end('SIGKILL');
  await away.vanish();

  const look = (address: string) =>
    fetch(`http://${address}:${port}${identityPath}`, { signal: AbortSignal.timeout(5_000) }).then(
      (answer) => answer.text(),
      () => '',
    );
  for (const pod of pods) {
    const moved = await until(`another node has ${pod}`, async () => {
      const found = (await placesIn(namespace)).get(pod);
      return found?.spec?.nodeName === secondNode ? undefined : found;
    });
    await until(`${pod} answers there`, async () => (await look(moved.status!.podIP!)).includes(`the ${pod}`));
    const { spec } = (await cluster.find<FoundService>('Service', pod, namespace))!;
    await until(`and by the address that its neighbours know`, async () =>
      (await look(spec!.clusterIP!)).includes(`the ${pod}`),
    );
  }

  await berth.serve();
  await until('its URL leads there', async () => (await berth.visit(url)).text.includes('the web'));
  assert.deepEqual((await berth.inventory()).orphans, []);
});
