import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webWorkload } from '../../../test/support/deployments.ts';
import { createTestEngine } from '../../../test/support/memory-engine.ts';
import { createTestWorld, type TestImage } from '../../../test/support/test-world.ts';
import type { EngineOperation } from '../../deployment/plan/operation.ts';
import type { Workload } from '../../deployment/workload/workload.ts';
import { EngineFault } from '../engine.ts';
import { createMemoryWorld } from './world.ts';

const web = webWorkload({ name: 'berth-a-web-1-0' });
const network: EngineOperation = { kind: 'create-network', because: 'test' };
const start: EngineOperation = { kind: 'start', workload: web, because: 'test' };

function engineWith(image: TestImage) {
  return createTestEngine({ world: createTestWorld({ 'web:1': image }) });
}

async function started(image: TestImage) {
  const engine = engineWith(image);
  await engine.execute('a', network);
  await engine.execute('a', start);
  return engine;
}

test('a workload becomes ready after as many observations as its image says', async () => {
  const engine = await started({ readyAfter: 2 });
  const seen = [1, 2, 3].map(async () => (await engine.observe('a', [])).workloads[0]?.isReady);
  assert.deepEqual(await Promise.all(seen), [false, false, true]);
});

test('a failure before an operation leaves nothing, one after it leaves all', async () => {
  for (const [when, exists] of [
    ['before', false],
    ['after', true],
  ] as const) {
    const engine = engineWith({});
    engine.interrupt({ operation: 1, when });
    await assert.rejects(engine.execute('a', network), /interrupted/);
    assert.equal((await engine.observe('a', [])).hasNetwork, exists);
    await engine.execute('a', network);
    assert.equal((await engine.observe('a', [])).hasNetwork, true);
  }
});

test('a start that dies halfway leaves a container that the next start replaces', async () => {
  const engine = engineWith({});
  engine.interrupt({ operation: 1, kind: 'start', when: 'halfway' });
  await engine.execute('a', network);
  await assert.rejects(engine.execute('a', start), /interrupted/);
  assert.equal((await engine.observe('a', [])).workloads[0]?.phase, 'created');
  await engine.execute('a', start);
  assert.equal((await engine.observe('a', [])).workloads[0]?.isReady, true);
});

test('the n-th operation fails with the given fault, the others are recorded', async () => {
  const engine = engineWith({});
  engine.interrupt({ operation: 2, when: 'before', error: new EngineFault('unavailable', 'away') });
  await engine.execute('a', network);
  await assert.rejects(engine.execute('a', start), { kind: 'unavailable' });
  await engine.execute('a', start);
  assert.deepEqual(
    engine.executed.map(({ operation }) => operation.kind),
    ['create-network', 'start'],
  );
});

test('a crash is restarted, a halt is not', async () => {
  const engine = await started({});
  await engine.observe('a', []);
  engine.crash(web.name, 1);
  const [crashed] = (await engine.observe('a', [])).workloads;
  assert.deepEqual([crashed?.isReady, crashed?.restarts, crashed?.lastExit?.code], [true, 1, 1]);
  engine.halt(web.name);
  assert.equal((await engine.observe('a', [])).workloads[0]?.phase, 'exited');
  await engine.execute('a', start);
  assert.equal((await engine.observe('a', [])).workloads[0]?.isReady, true);
});

test('an image that cannot be pulled fails as its settings say', async () => {
  const engine = engineWith({ isOnHost: false, pullFault: 'image-access-denied' });
  await assert.rejects(engine.images!.pull('a', { image: 'web:1' }), { kind: 'image-access-denied' });
  assert.deepEqual((await engine.observe('a', ['web:1'])).images?.present, []);
});

test('every call can be made to fail, before its effect or after', async () => {
  const engine = await started({});
  const [network] = (await engine.listOwned()).filter(({ kind }) => kind === 'network');
  const images = engine.images!;
  const [image] = await images.list();
  const calls = {
    observe: () => engine.observe('a', []),
    logs: () => engine.logs(web.name, { tail: 1 }),
    capacity: () => engine.capacity(),
    listOwned: () => engine.listOwned(),
    'images.list': () => images.list(),
    'images.remove': () => images.remove(image!),
    'disk.use': () => engine.disk!.use(),
    removeOwned: () => engine.removeOwned(network!),
  };
  for (const [name, call] of Object.entries(calls)) {
    for (const when of ['before', 'after'] as const) {
      engine.interrupt({ operation: 1, name: name as keyof typeof calls, when });
      await assert.rejects(call(), new RegExp(`interrupted ${when} ${name}`));
    }
    await call();
  }
  assert.equal((await engine.observe('a', [])).hasNetwork, false);
});

test('a workload whose network was removed has no address, cannot be started again, and is not ready', async () => {
  const engine = await started({});
  engine.lose({ kind: 'network', id: 'a' });
  const [severed] = (await engine.observe('a', [])).workloads;
  assert.deepEqual([severed?.address, severed?.notReadyBecause], [undefined, 'has no address yet']);
  engine.halt(web.name);
  await engine.execute('a', network);
  await assert.rejects(engine.execute('a', start), /network of berth-a-web-1-0 is gone/);
});

test('a volume that a container has is not removed', async () => {
  const engine = engineWith({});
  const workload = { ...web, volumes: [{ volume: 'data', mountPath: '/data' }] };
  const remove: EngineOperation = { kind: 'remove-volume', volume: 'data', because: 'test' };
  await engine.execute('a', network);
  await engine.execute('a', { kind: 'create-volume', volume: 'data', sizeBytes: 1, because: 'test' });
  await engine.execute('a', { ...start, workload });
  await assert.rejects(engine.execute('a', remove), /in use/);
  await engine.execute('a', { kind: 'remove', name: web.name, because: 'test' });
  await engine.execute('a', remove);
  assert.deepEqual((await engine.observe('a', [])).volumes, []);
});

test('events of one machine reach every engine on it', async () => {
  const world = createMemoryWorld({ 'web:1': {} });
  const received: string[] = [];
  createTestEngine({ world }).watch((id) => received.push(id), new AbortController().signal);
  await createTestEngine({ world }).execute('a', network);
  assert.deepEqual(received, ['a']);
});

test('a service that may end is done after an exit with 0, and is restarted after any other', async () => {
  const ended = async (exitCode: number) => {
    const engine = engineWith({ exitCode });
    await engine.execute('a', network);
    const workload: Workload = { ...web, ports: [], readiness: { kind: 'running', mayEnd: true } };
    await engine.execute('a', { kind: 'start', workload, because: 'test' });
    await engine.observe('a', []);
    const [found] = (await engine.observe('a', [])).workloads;
    return [found?.phase, found?.isReady, found!.restarts > 0];
  };
  assert.deepEqual(await ended(0), ['exited', true, false]);
  assert.deepEqual(await ended(3), ['running', false, true]);
});
