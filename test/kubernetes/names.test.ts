/** Names of pods on a cluster: a pod learns them as it starts, and not later. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { identityPath, port } from '../contract/program.ts';
import { createScene, type Scene } from '../contract/scene.ts';
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

test('a pod reaches one that starts after it by name', async () => {
  const db = scene.workload('db', { env: { IDENTITY: 'the database' } });
  const ask = `until wget -q -O - http://db.pod:${port}${identityPath} 2>/dev/null; do sleep 0.2; done`;
  const asker = { ...scene.job('asker'), entrypoint: ['/bin/sh', '-c'], command: [ask] };
  await scene.execute({ kind: 'create-network' }, { kind: 'start', workload: asker, neighbours: [asker, db] });
  await scene.execute({ kind: 'start', workload: db, neighbours: [asker, db] });
  assert.deepEqual(await scene.output(asker), ['the database']);
});
