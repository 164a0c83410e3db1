/** Starting, repeating, removing, and whose things they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashListed, hashObserved } from '../../src/deployment/workload/workload.ts';
import { type Engine, EngineFault } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';
import { identityPath, port, written } from './program.ts';
import { contractEpoch, createVolume } from './scene.ts';

/** The observation of a deployment without objects, if no images are requested. */
const nothingOn = ({ images }: Engine) => ({
  hasNetwork: false,
  volumes: [],
  workloads: [],
  ...(images && { images: { present: [], local: [] } }),
});

export function lifecycleContract({ contractor, newScene }: Stage): void {
  test('an engine that runs answers', async () => {
    await contractor().engine.ping();
  });

  test('nothing exists of a deployment that was never started', async () => {
    const scene = newScene();
    assert.deepEqual(await contractor().engine.observe(scene.id, []), nothingOn(contractor().engine));
  });

  test("an image that the engine has is found, here the operator's own, and one that it has not is not", async () => {
    const { engine, image } = contractor();
    assert.deepEqual(await engine.findImage(image), { reference: image, isOperators: true });
    assert.equal(await engine.findImage('registry.invalid/nothing:1'), undefined);
  });

  test('a started workload becomes ready at an address', async () => {
    const scene = newScene();
    const web = scene.workload('web', { env: { IDENTITY: 'web of one' } });
    await scene.start(web);
    const observed = await scene.ready(web);
    assert.match(observed.address ?? '', /^\d+\.\d+\.\d+\.\d+$/);
    assert.deepEqual(
      { ...observed, address: undefined },
      {
        name: web.name,
        pod: 'web',
        revision: 1,
        replica: 0,
        fingerprint: 'web-1',
        phase: 'running',
        isReady: true,
        restarts: 0,
        address: undefined,
      },
    );
    if (!contractor().hasRealAddresses) return;
    const answer = await fetch(`http://${observed.address}:${port}${identityPath}`);
    assert.equal(await answer.text(), 'web of one\n');
  });

  test('every operation done twice is done once', async () => {
    const scene = newScene();
    const web = scene.workload('web', { volumes: [{ volume: 'data', mountPath: '/srv' }] });
    const operations = [{ kind: 'create-network' }, createVolume('data'), { kind: 'start', workload: web }] as const;
    for (const operation of operations) await scene.execute(operation, operation);
    const observed = await scene.ready(web);
    await scene.execute(...operations);
    assert.deepEqual(await scene.find(web), observed);
    const removals = [
      { kind: 'remove', name: web.name },
      { kind: 'remove-volume', volume: 'data' },
      { kind: 'remove-network' },
    ] as const;
    for (const operation of removals) await scene.execute(operation, operation);
    assert.deepEqual(await scene.observe(), nothingOn(contractor().engine));
  });

  test('a job that has finished is not run again by a second start', async () => {
    const scene = newScene();
    const job = scene.job('migrate', 'print-arguments', 'once');
    await scene.output(job);
    await scene.start(job);
    const observed = await scene.ready(job);
    assert.equal(observed.phase, 'exited');
    assert.deepEqual(await written(contractor().engine, job.name, 10), ['once']);
  });

  test('a workload without a network is not started', async () => {
    const scene = newScene();
    const started = scene.execute({ kind: 'start', workload: scene.workload('web') });
    await assert.rejects(started, (error) => error instanceof EngineFault && error.kind === 'unavailable');
  });

  test('the data of a volume outlives the revision that wrote it', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    const volumes = [{ volume: 'data', mountPath: '/srv' }];
    const first = { ...scene.job('writer', 'append', '/srv/log', 'first'), volumes };
    assert.deepEqual(await scene.output(first), ['first']);
    await scene.execute({ kind: 'remove', name: first.name });
    const job = scene.job('writer', 'append', '/srv/log', 'second');
    const second = { ...job, volumes, revision: 2, name: `berth-${scene.id}-writer-2-0`, fingerprint: 'second' };
    assert.deepEqual(await scene.output(second), ['first', 'second']);
    assert.deepEqual((await scene.observe()).volumes, ['data']);
  });

  test('removal leaves nothing', async () => {
    const scene = newScene();
    await scene.execute(createVolume('data'));
    const web = scene.workload('web', { volumes: [{ volume: 'data', mountPath: '/srv' }] });
    await scene.start(web, scene.job('migrate', 'exit', '1'));
    await scene.ready(web);
    await scene.removeAll();
    assert.deepEqual(await contractor().engine.listOwned(), []);
  });

  test('what is owned is listed and can be removed, once and again', async () => {
    const scene = newScene();
    await scene.execute(createVolume('data'));
    await scene.start(scene.workload('web', { volumes: [{ volume: 'data', mountPath: '/srv' }] }));
    const owned = (await contractor().engine.listOwned()).filter(({ deploymentId }) => deploymentId === scene.id);
    assert.deepEqual(owned.map(({ kind }) => kind).sort(), ['network', 'volume', 'workload']);
    for (const one of [...owned, ...owned]) await contractor().engine.removeOwned(one);
    assert.deepEqual(await scene.observe(), nothingOn(contractor().engine));
  });

  test('what is made carries the revision and the epoch of the store, and a workload that is stopped stays stopped', async () => {
    const scene = newScene();
    await scene.execute(createVolume('data'));
    const web = scene.workload('web', { volumes: [{ volume: 'data', mountPath: '/srv' }] });
    await scene.start(web);
    await scene.ready(web);
    const list = async () =>
      (await contractor().engine.listOwned()).filter(({ deploymentId }) => deploymentId === scene.id);
    const owned = await list();
    assert.equal(owned.find(({ kind }) => kind === 'workload')?.revision, 1);
    assert.equal(Math.max(...owned.map(({ epoch }) => epoch ?? 0)), contractEpoch);
    for (const _ of ['once', 'again']) await scene.execute({ kind: 'stop', name: web.name });
    const left = await list();
    assert.notEqual(left.find(({ kind }) => kind === 'workload')?.phase, 'running');
    assert.deepEqual(
      left.flatMap(({ kind }) => (kind === 'workload' ? [] : [kind])).sort(),
      ['network', 'volume'],
      'the rest stays',
    );
  });

  test('a listing of everything and an observation agree on a deployment', async () => {
    const scene = newScene();
    const same = async () => {
      const observed = await scene.observe();
      const owned = await contractor().engine.listOwned();
      const listed = owned.filter(({ deploymentId }) => deploymentId === scene.id);
      assert.equal(hashListed(listed), hashObserved(observed), JSON.stringify({ observed, listed }));
      return hashObserved(observed);
    };
    const job = scene.job('migrate', 'print-arguments', 'once');
    const web = scene.workload('web', { volumes: [{ volume: 'data', mountPath: '/srv' }] });
    const hashes = [await same()];
    await scene.execute({ kind: 'create-network' });
    hashes.push(await same());
    await scene.execute({ kind: 'create-volume', volume: 'data', sizeBytes: 2 ** 20 });
    hashes.push(await same());
    await scene.start(web);
    await scene.ready(web);
    hashes.push(await same());
    await scene.output(job);
    hashes.push(await same());
    assert.equal(new Set(hashes).size, hashes.length, 'every change shows');
  });

  test('the size of the host is reported', async () => {
    const { memoryBytes, cpuMillis } = await contractor().engine.capacity();
    assert.ok(memoryBytes > 2 ** 28 && cpuMillis >= 1000, `${memoryBytes} bytes, ${cpuMillis} thousandths`);
  });

  test("another installation's things are neither seen nor touched", async () => {
    const scene = newScene();
    const { neighbour } = contractor();
    const web = scene.workload('web');
    await scene.start(web);
    const observed = await scene.ready(web);
    const seen = await neighbour.observe(scene.id, []);
    assert.deepEqual(seen, nothingOn(neighbour));
    assert.deepEqual(await neighbour.listOwned(), []);
    assert.deepEqual(await neighbour.logs(web.name, { tail: 10 }), []);
    for (const owned of await contractor().engine.listOwned()) await neighbour.removeOwned(owned);
    const isRefusal = (error: unknown) => error instanceof EngineFault && error.kind === 'bad-request';
    const because = 'the test says so';
    await assert.rejects(neighbour.execute(scene.id, { kind: 'remove', name: web.name, because }), isRefusal);
    await assert.rejects(neighbour.execute(scene.id, { kind: 'create-network', because }), isRefusal);
    await assert.rejects(neighbour.execute(scene.id, { kind: 'start', workload: web, because }), isRefusal);
    assert.deepEqual(await scene.find(web), observed);
  });
}
