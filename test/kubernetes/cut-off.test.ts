/** An API server that cannot be reached for a while, and watches that end without a word. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type KubernetesEngine, openKubernetesEngine } from '../../src/engine/kubernetes/kubernetes.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { newId } from '../../src/lib/ids.ts';
import { createScene, type Scene } from '../contract/scene.ts';
import { openTestImages } from '../support/images.ts';
import { type KubernetesContractor, kubernetesContractor } from './contractor.ts';
import { edgeNetworks } from './node.ts';
import { connectAsBerth } from './role.ts';

const cutMs = 30_000;

let contractor: KubernetesContractor;
let wire: Wire;
let engine: KubernetesEngine;
let scene: Scene;
const opened = new AsyncDisposableStack();

before(async () => {
  contractor = await kubernetesContractor();
  wire = opened.use(await openWire(contractor.cluster.server));
  const owner = `test-${newId(randomBytes)}`;
  const { cluster } = opened.use(await connectAsBerth(contractor.cluster, owner, wire.address));
  const { images } = opened.use(await openTestImages([]));
  const options = { cluster, owner, images, edgeNetworks, stopSeconds: 1, diskBytes: 2 ** 30, localPatterns: ['*'] };
  ({ engine } = opened.use(await openKubernetesEngine(options)));
  scene = createScene(engine, contractor.image);
});
after(async () => {
  await contractor?.cluster.remove('Namespace', namespaceName(scene.id));
  await opened.disposeAsync();
  await contractor?.dispose();
});

test('after 30 s without traffic, and with every old connection dead, a change in between is seen', async () => {
  const workload = scene.workload('web');
  await scene.start(workload);
  const { address: before } = await scene.ready(workload);
  wire.cut();
  const pods = `/api/v1/namespaces/${namespaceName(scene.id)}/pods`;
  const { cluster } = contractor;
  const { items } = await cluster.request<{ items: { metadata: { name: string } }[] }>('GET', pods);
  await cluster.remove('Pod', items[0]!.metadata.name, { namespace: namespaceName(scene.id) });
  await assert.rejects(engine.ping(), { kind: 'unavailable' });
  await delay(cutMs);
  wire.mend();
  // Nothing is written through the engine: what it sees, it sees by its watches.
  const deadline = AbortSignal.timeout(300_000);
  for (;;) {
    const found = await scene.find(workload).catch(() => undefined);
    if (found?.isReady && found.address !== before) break;
    assert.ok(!deadline.aborted, `still seen as before: ${JSON.stringify(found)}`);
    await delay(500);
  }
  await engine.ping();
});

type Wire = AsyncDisposable & {
  address: string;
  /** Drops all packets, in old connections and new ones, without a notification. */
  cut(): void;
  /** New connections work; the old ones stay as they are. */
  mend(): void;
};

/** Between engine and API server. */
async function openWire(server: string): Promise<Wire> {
  const { hostname, port } = new URL(`https://${server}`);
  const sockets = new Set<Socket>();
  let isCut = false;
  const wire: Server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => {});
    if (isCut) return void near.pause();
    const far = connect(Number(port), hostname);
    sockets.add(far);
    far.on('error', () => {});
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(wire.address() as { port: number }).port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => wire.close(resolve));
    },
  };
}
