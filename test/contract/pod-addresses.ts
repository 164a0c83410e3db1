/** The facet `podAddresses`: addresses that stay while the workloads behind them change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOfPod, type PodTargets, podAddressesOf } from '../../src/deployment/workload/pod-addresses.ts';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { EngineFault, facetOf } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';
import { identityPath, port } from './program.ts';
import type { Scene } from './scene.ts';

/** The errors of Linux and gVisor for the firewall's answer. */
const refused = /Connection refused|Network is unreachable/;

export function podAddressesContract({ contractor, newScene }: Stage): void {
  const set = (scene: Scene, targets: PodTargets) =>
    facetOf(contractor().engine, 'podAddresses').set(scene.id, targets);

  async function startAll(scene: Scene, ...workloads: Workload[]): Promise<void> {
    await scene.execute({ kind: 'create-network' });
    for (const workload of workloads) await scene.execute({ kind: 'start', workload, neighbours: workloads });
  }

  /** Returns the answers that a program in a separate container gets from these addresses. */
  async function fetchFrom(scene: Scene, name: string, addresses: readonly string[]): Promise<string[]> {
    const urls = addresses.map((address) => `http://${address}:${port}${identityPath}`);
    return await scene.output(scene.job(name, 'fetch', ...urls));
  }

  test('an address leads to the workload that was set last, and to none after its network is gone', async () => {
    const scene = newScene();
    const [first, second] = [1, 2].map((revision) =>
      scene.workload('api', { revision, env: { IDENTITY: `api ${revision}` } }),
    ) as [Workload, Workload];
    const [address = ''] = addressesOfPod(first, podAddressesOf([first]));
    await startAll(scene, first, second);
    const at = [(await scene.ready(first)).address!, (await scene.ready(second)).address!] as const;
    for (let time = 0; time < 2; time++) await set(scene, { [address]: [at[0]] });
    assert.deepEqual((await scene.observe()).podTargets, { [address]: [at[0]] });
    assert.deepEqual(await fetchFrom(scene, 'before', [address]), ['api 1']);
    await set(scene, { [address]: [at[1]] });
    await scene.execute({ kind: 'remove', name: first.name });
    assert.deepEqual(await fetchFrom(scene, 'after', [address]), ['api 2']);
    await scene.removeAll();
    assert.equal((await scene.observe()).podTargets, undefined);
    await assert.rejects(set(scene, {}), (error) => error instanceof EngineFault && error.kind === 'unavailable');
  });

  test('an address is shared by the replicas behind it, and is refused when none is there', async () => {
    const scene = newScene();
    const replicas = [0, 1].map((replica) =>
      scene.workload('api', { replica, env: { IDENTITY: `replica ${replica}` } }),
    );
    const [address = ''] = addressesOfPod(replicas[0]!, podAddressesOf(replicas));
    await startAll(scene, ...replicas);
    const targets: string[] = [];
    for (const replica of replicas) targets.push((await scene.ready(replica)).address!);
    await set(scene, { [address]: targets });
    const received = await fetchFrom(scene, 'many', Array(40).fill(address));
    assert.deepEqual([...new Set(received)].sort(), ['replica 0', 'replica 1']);
    await set(scene, {});
    assert.match((await fetchFrom(scene, 'none', [address])).join(), refused);
  });

  test('an address of one deployment leads nowhere from another', async () => {
    const [scene, stranger] = [newScene(), newScene()];
    const api = scene.workload('api', { env: { IDENTITY: 'mine' } });
    const [address = ''] = addressesOfPod(api, podAddressesOf([api]));
    await startAll(scene, api);
    await set(scene, { [address]: [(await scene.ready(api)).address!] });
    assert.match((await fetchFrom(stranger, 'asker', [address])).join(), refused);
    assert.deepEqual(await fetchFrom(scene, 'asker', [address]), ['mine']);
  });

  test('a name leads to its pod address from other pods, and to the own address from its pod', async () => {
    const scene = newScene();
    const api = scene.workload('api', { env: { IDENTITY: 'api' } });
    const asker = scene.job('asker', 'fetch', `http://api:${port}${identityPath}`);
    await startAll(scene, api);
    const { address } = await scene.ready(api);
    await set(scene, Object.fromEntries([...podAddressesOf([api, asker]).values()].map((each) => [each, [address!]])));
    await scene.execute({ kind: 'start', workload: asker, neighbours: [api, asker] });
    await scene.ready(asker);
    const lines = await contractor().engine.logs(asker.name, { tail: 1 });
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['api'],
    );
  });
}
