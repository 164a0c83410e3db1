import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { podStatusOf, webWorkload } from '../../../test/support/deployments.ts';
import { createTestEngine } from '../../../test/support/memory-engine.ts';
import type { PodStatus } from '../../deployment/deployment.ts';
import { podToRead } from './status-endpoints.ts';

test('while it deploys and after a restart the status has the last lines, those of the previous run too', async () => {
  const api = await testApi();
  const engine = createTestEngine({ world: api.world, now: () => api.clock.now });
  let starts = 0;
  api.world.images.set('web:1', { program: () => ({ output: [`start ${++starts}`], ports: [80] }) });
  const token = await api.startShop();
  const id = api.woken.at(-1)!;
  const name = `berth-${id}-web-1-0` as const;
  const because = 'the test says so';
  await engine.execute(id, { kind: 'create-network', because });
  await engine.execute(id, { kind: 'start', workload: webWorkload({ name }), because });
  const set = async (state: 'deploying' | 'running', pod: Partial<PodStatus>) => {
    const pods = JSON.stringify([podStatusOf('web', pod)]);
    await api.service.db.updateTable('deployments').set({ state, pods }).execute();
  };
  const lines = async () =>
    (await api.get(`/getDeploymentStatus?applicationName=shop&sessionToken=${token}`)).body.status.lastLines;

  await set('deploying', { state: 'starting' });
  assert.deepEqual(await lines(), ['start 1']);
  engine.crash(name, 1);
  const lastExit = { code: 1, reason: 'exited with code 1', at: api.clock.now };
  await set('running', { restarts: 1, lastExit });
  assert.deepEqual(await lines(), ['start 1', 'start 2']);
  api.clock.now += 11 * 60_000;
  assert.equal(await lines(), undefined);
});

test('the lines are those of a pod that exited and is not ready, then of one that is not ready', () => {
  const lastExit = { code: 1, reason: 'exited with code 1', at: 0 };
  const pods = [
    podStatusOf('waiting', { state: 'waiting' }),
    podStatusOf('restarted', { lastExit }),
    podStatusOf('starting', { state: 'starting' }),
    podStatusOf('crashed', { state: 'starting', lastExit }),
  ];
  assert.equal(podToRead(pods, 1)?.name, 'crashed');
  assert.equal(podToRead(pods.slice(0, 3), 1)?.name, 'starting');
  assert.equal(podToRead(pods.slice(0, 2), 1)?.name, 'restarted');
  assert.equal(podToRead(pods.slice(0, 1), 1), undefined);
});
