/** Images of a registry on nodes of a cluster: pulled from Berth, by who may have them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type KubernetesEngine, openKubernetesEngine } from '../../src/engine/kubernetes/kubernetes.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import type { FoundPod } from '../../src/engine/kubernetes/objects.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { programImage } from '../contract/image.ts';
import { login, type Registry, startRegistry } from '../contract/registry.ts';
import { createScene, type Scene } from '../contract/scene.ts';
import { openTestImages } from '../support/images.ts';
import { type KubernetesContractor, kubernetesContractor } from './contractor.ts';
import { edgeNetworks, removeFromNode } from './node.ts';
import { type NodeGate, openNodeGate } from './node-gate.ts';

let contractor: KubernetesContractor;
let registry: Registry;
let gate: Awaited<ReturnType<typeof openGateForNodes>>;
let nodeGate: NodeGate;
const scenes: Scene[] = [];
const key = randomBytes(32).toString('hex');

before(async () => {
  contractor = await kubernetesContractor();
  nodeGate = await openNodeGate(contractor.cluster, contractor.owner);
  registry = await startRegistry({
    architecture: 'amd64',
    foreignArchitecture: 'none',
    needsLogin: true,
    program: await programImage(),
  });
  gate = await openGateForNodes();
});
after(async () => {
  for (const { id } of scenes) await contractor.cluster.remove('Namespace', namespaceName(id));
  await gate?.[Symbol.asyncDispose]();
  await registry?.close();
  await nodeGate?.[Symbol.asyncDispose]();
  await contractor?.dispose();
});

/** A process of Berth, as far as images and the engine go. */
async function openGateForNodes(): Promise<AsyncDisposable & { engine: KubernetesEngine }> {
  await using opening = new AsyncDisposableStack();
  const { images } = opening.use(await openTestImages([registry.host], { nodeGate }, { seal: sealWith(key) }));
  const { cluster, owner } = contractor;
  const options = { cluster, owner, images, edgeNetworks, stopSeconds: 1, diskBytes: 2 ** 30, localPatterns: [] };
  const { engine } = opening.use(await openKubernetesEngine(options));
  const open = opening.move();
  return { engine, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

function newScene(): Scene {
  const scene = createScene(gate.engine, `${registry.host}/program:1`);
  scenes.push(scene);
  return scene;
}

const registryLogin = () => ({ registry: registry.host, ...login });

const podsOf = async ({ id }: Scene) =>
  (await contractor.cluster.request<{ items: FoundPod[] }>('GET', `/api/v1/namespaces/${namespaceName(id)}/pods`))
    .items;

test('a private image runs for deployments with its login: the node has pulled it from Berth, by its digest', async () => {
  const scene = newScene();
  const workload = scene.workload('web', { registryLogin: registryLogin() });
  await scene.start(workload);
  await scene.ready(workload);
  const [pod] = await podsOf(scene);
  const { image } = (pod!.spec as { containers: { image: string }[] }).containers[0]!;
  assert.match(image, new RegExp(`^${nodeGate.name}/berth\\.gate/.+/program@sha256:[0-9a-f]{64}$`));
  const { items } = await contractor.cluster.request<{ items: { data?: Record<string, string> }[] }>(
    'GET',
    `/api/v1/namespaces/${namespaceName(scene.id)}/secrets`,
  );
  const logins = items.flatMap(({ data }) => data?.['.dockerconfigjson'] ?? []);
  assert.equal(logins.length, 1);
  const shown = JSON.stringify(
    items.map(({ data }) => Object.values(data ?? {}).map((value) => Buffer.from(value, 'base64').toString('latin1'))),
  );
  assert.ok(!shown.includes(login.personalAccessToken), 'the login is in no Secret in the clear');
});

test('who has no login for it is refused, although the node has it', async () => {
  const scene = newScene();
  await assert.rejects(scene.start(scene.workload('web')), { kind: 'image-access-denied' });
  const wrong = { ...registryLogin(), personalAccessToken: 'wrong' };
  await assert.rejects(scene.start(scene.workload('web', { registryLogin: wrong })), { kind: 'image-access-denied' });
  assert.deepEqual(await podsOf(scene), []);
});

test('a pod that starts on a node without the image pulls it from another process with the same key', async () => {
  const scene = newScene();
  const workload = scene.workload('web', { registryLogin: registryLogin() });
  await scene.start(workload);
  await scene.ready(workload);
  await gate[Symbol.asyncDispose]();
  const [pod] = await podsOf(scene);
  const { image } = (pod!.spec as { containers: { image: string }[] }).containers[0]!;
  const { metadata } = pod!;
  await contractor.cluster.remove('Pod', metadata.name, { namespace: metadata.namespace!, waitsForDependents: true });
  await removeFromNode(image);
  gate = await openGateForNodes();
  const again = createScene(gate.engine, image, scene.id);
  await again.until(workload, ({ isReady, address }) => isReady && address !== pod!.status?.podIP);
});
