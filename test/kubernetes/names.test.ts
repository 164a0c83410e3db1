/** Names of pods on a cluster: a pod learns them as it starts, and not later. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { wait } from '../../src/lib/wait.ts';
import { identityPath, port } from '../contract/program.ts';
import { createScene, createVolume, type Scene } from '../contract/scene.ts';
import { type KubernetesContractor, kubernetesContractor } from './contractor.ts';

let contractor: KubernetesContractor;
let scene: Scene;
before(async () => {
  contractor = await kubernetesContractor();
  scene = createScene(contractor.engine, contractor.image);
});
after(async () => {
  await contractor?.cluster.remove('Namespace', namespaceName(scene.id));
  await contractor?.dispose();
});

/**
 * A script that sends requests until an answer contains the word, and writes it. Packets of a pod that starts or ends
 * may get lost, both the answer and the end of the connection. With its own `-T`, the wget of a static busybox crashes
 * with a segmentation fault.
 */
const untilHeard = (pod: string, word: string) => {
  const ask = `busybox timeout 2 wget -q -O - http://${pod}.pod:${port}${identityPath}`;
  return `exec 2>/dev/null; until ${ask} | grep ${word}; do sleep 0.2; done`;
};

test('a pod reaches one that starts after it by name', async () => {
  const db = scene.workload('db', { env: { IDENTITY: 'the database' } });
  const command = [untilHeard('db', 'database')];
  const asker = { ...scene.job('asker'), entrypoint: ['/bin/sh', '-c'], command };
  await scene.execute({ kind: 'create-network' }, { kind: 'start', workload: asker, neighbours: [asker, db] });
  await scene.execute({ kind: 'start', workload: db, neighbours: [asker, db] });
  assert.deepEqual(await scene.output(asker), ['the database']);
});

test('who runs on reaches a pod with a volume that has been replaced, at the address that it has read', async () => {
  const volume = 'data';
  const first = scene.workload('store', {
    env: { IDENTITY: 'the first' },
    volumes: [{ volume, mountPath: '/srv' }],
  });
  const next = { ...first, name: `${first.name}-r1`, fingerprint: 'store-2', env: { IDENTITY: 'the second' } };
  const command = [[untilHeard('store', 'first'), untilHeard('store', 'second')].join('; ')];
  const asker = { ...scene.job('watcher'), entrypoint: ['/bin/sh', '-c'], command };
  await scene.execute({ kind: 'create-network' }, createVolume(volume));
  for (const workload of [first, asker]) await scene.execute({ kind: 'start', workload, neighbours: [first, asker] });
  const hasHeard = async () => (await contractor.engine.logs(asker.name, { tail: 1 })).length > 0;
  await scene.until(asker, ({ phase }) => phase === 'running');
  const deadline = AbortSignal.timeout(120_000);
  while (!(await hasHeard())) {
    assert.ok(!deadline.aborted, 'the first is never reached');
    await wait(200, deadline);
  }
  await scene.execute({ kind: 'remove', name: first.name });
  await scene.execute({ kind: 'start', workload: next, neighbours: [next, asker] });
  await scene.ready(asker);
  const received = (await contractor.engine.logs(asker.name, { tail: 100 })).map(({ text }) => text);
  assert.deepEqual(received, ['the first', 'the second']);
});
