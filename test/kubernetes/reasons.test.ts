/** Why a workload does not run on a cluster, in words for its owner; and the owners of its volumes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openKubernetesEngine } from '../../src/engine/kubernetes/kubernetes.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import type { Hanging } from '../../src/engine/kubernetes/objects.ts';
import { newId } from '../../src/lib/ids.ts';
import { createScene, createVolume, type Scene } from '../contract/scene.ts';
import { openTestImages } from '../support/images.ts';
import { type KubernetesContractor, kubernetesContractor } from './contractor.ts';
import { edgeNetworks } from './node.ts';
import { startProvisioner } from './provisioner.ts';

const mebibyte = 2 ** 20;

let contractor: KubernetesContractor;
const opened = new AsyncDisposableStack();
const scenes: Scene[] = [];

before(async () => {
  contractor = await kubernetesContractor();
});
after(async () => {
  for (const { id } of scenes) await contractor.cluster.remove('Namespace', namespaceName(id));
  await opened.disposeAsync();
  await contractor?.dispose();
});

type Settings = { storageClass?: string; diskBytes?: number; now?: () => number; onHanging?: (one: Hanging) => void };

/** On an engine with settings of its own. */
async function sceneOf({ storageClass, diskBytes = 2 ** 30, ...more }: Settings = {}) {
  const { cluster } = contractor;
  const owner = `test-${newId(randomBytes)}`;
  const { images } = opened.use(await openTestImages([]));
  const { engine } = opened.use(
    await openKubernetesEngine({
      cluster,
      owner,
      images,
      edgeNetworks,
      stopSeconds: 1,
      diskBytes,
      localPatterns: ['*'],
      ...more,
      storageClass,
    }),
  );
  const scene = createScene(engine, contractor.image);
  scenes.push(scene);
  return { scene, engine };
}

const startedWithVolume = (scene: Scene, workload: Parameters<Scene['start']>[0]) =>
  scene
    .execute({ kind: 'create-network' }, createVolume('data', mebibyte), { kind: 'start', workload })
    .then(() => workload);

test('memory and processors that no node has are named', async () => {
  const { scene } = await sceneOf();
  const limits = { memoryBytes: 4096 * 2 ** 30, cpuMillis: 1000_000 };
  const workload = scene.workload('web', { resources: { requests: limits, limits } });
  await scene.start(workload);
  const found = await scene.until(workload, ({ notReadyBecause = '' }) => notReadyBecause.startsWith('no node has'));
  assert.equal(found.notReadyBecause, 'no node has 4 TiB of memory and 1000 processors free');
  assert.equal(found.hint, 'the operator has to make room');
});

test('a volume that the cluster cannot provide is reported', async () => {
  const { scene } = await sceneOf({ storageClass: 'no-such-class' });
  const workload = scene.workload('web', { volumes: [{ volume: 'data', mountPath: '/data' }] });
  await startedWithVolume(scene, workload);
  const found = await scene.until(workload, ({ notReadyBecause = '' }) => notReadyBecause.startsWith('its volume'));
  assert.equal(found.notReadyBecause, 'its volume cannot be bound: the cluster has none for it');
});

test('a workload that writes too much outside of volumes is evicted for disk, which is still shown when it runs again', async () => {
  const { scene } = await sceneOf({ diskBytes: 4 * mebibyte });
  const entrypoint = ['/bin/sh', '-c'];
  const command = [`head -c ${64 * mebibyte} /dev/zero >/srv/much; exec /bin/contract serve 8080`];
  const workload = scene.workload('web', { entrypoint, command });
  await scene.start(workload);
  const found = await scene.until(workload, ({ lastExit }) => lastExit !== undefined);
  assert.equal(found.lastExit!.reason, 'evicted for disk: it wrote too much outside of its volumes');
  assert.ok(found.restarts > 0);
});

test('another user than root writes to a volume that belonged to root', async () => {
  const storage = opened.use(await startProvisioner(contractor.cluster, newId(randomBytes), { isDisk: true }));
  const { scene } = await sceneOf({ storageClass: storage.name });
  const job = {
    ...scene.job('writer', 'append', '/data/told', 'mine'),
    user: '1000',
    volumes: [{ volume: 'data', mountPath: '/data' }],
  };
  await scene.execute({ kind: 'create-network' }, createVolume('data', mebibyte));
  assert.deepEqual(await scene.output(job), ['mine']);
});

test('a namespace that hangs is reported once, and a start does not wait for it', async () => {
  const reported: Hanging[] = [];
  let clock = Date.now();
  const { scene, engine } = await sceneOf({ now: () => clock, onHanging: (one) => void reported.push(one) });
  await scene.execute({ kind: 'create-network' });
  const namespace = namespaceName(scene.id);
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
  const { cluster } = contractor;
  await cluster.request('POST', configMaps, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', finalizers: ['berth.test/kept'] } },
  });
  try {
    await scene.execute({ kind: 'remove-network' });
    await engine.listOwned();
    assert.equal(reported.length, 0);
    clock += 3_600_000;
    await assert.rejects(scene.execute({ kind: 'create-network' }), {
      kind: 'unavailable',
      message: 'The previous resources of the deployment are still being removed.',
    });
    await engine.listOwned();
    await engine.listOwned();
    assert.deepEqual(
      reported.map((one) => one.namespace),
      [namespace],
    );
  } finally {
    const body = { metadata: { finalizers: [] } };
    await cluster.request('PATCH', `${configMaps}/kept`, { body, contentType: 'application/merge-patch+json' });
  }
});
