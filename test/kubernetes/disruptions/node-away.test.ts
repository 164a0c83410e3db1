/**
 * A node that goes away. The first one has no machine below it: it says that it lives, and calls its pods running; what
 * happens once it is silent, the cluster does by itself, and on a real node.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectDocker } from '../../../src/engine/docker/connect-docker.ts';
import { type Cluster, connectCluster } from '../../../src/engine/kubernetes/cluster.ts';
import { namespaceName } from '../../../src/engine/kubernetes/names.ts';
import type { FoundPod, FoundService } from '../../../src/engine/kubernetes/objects.ts';
import { buildImage } from '../../contract/image.ts';
import { identityPath, port } from '../../contract/program.ts';
import { type Berth, createBerth, until } from '../../scenarios/berth.ts';
import { type FakeNode, fakeAddress, openFakeNode } from '../fake-node.ts';

let cluster: Cluster;
let berth: Berth;
let away: FakeNode;
let image: string;
before(async () => {
  cluster = await connectCluster();
  image = await buildImage(await connectDocker(), { name: 'contract' });
  berth = await createBerth({}, { engine: 'kubernetes' });
  away = await openFakeNode(port);
});
after(async () => {
  await away?.[Symbol.asyncDispose]();
  await berth?.destroy();
});

test('a workload without volumes answers from another node when its own is away, with Berth down, and by its URL once that is back', async () => {
  await berth.serve();
  const app = await berth.start(`application:
  name: moved
  pods:
    - { name: web, image: "${image}", path: /, servicePorts: [${port}], vars: { IDENTITY: really here } }
`);
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(app.url)).text, 'here', 'what the node without a machine says');
  const namespace = namespaceName((await berth.row(app)).id);
  await berth.end('SIGKILL');
  await away.vanish();

  const { spec } = (await cluster.find<FoundService>('Service', 'web', namespace))!;
  const moved = await until('another node has it', async () => {
    const { items } = await cluster.ask<{ items: FoundPod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
    return items.find(({ status }) => status?.podIP !== undefined && status.podIP !== fakeAddress);
  });
  const look = (address: string) =>
    fetch(`http://${address}:${port}${identityPath}`).then(
      (answer) => answer.text(),
      () => undefined,
    );
  await until('it answers there', async () => (await look(moved.status!.podIP!))?.includes('really here'));
  await until('and by the address that its neighbours know', async () =>
    (await look(spec!.clusterIP!))?.includes('really here'),
  );

  await berth.serve();
  const url = new URL(identityPath, app.url).href;
  await until('its URL leads there', async () => (await berth.visit(url)).text.includes('really here'));
  assert.deepEqual((await berth.inventory()).orphans, []);
});
