/** The sweep on a deployment that the store does not know. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep } from '../../src/control/sweep.ts';
import { minQuarantineMs } from '../../src/deployment/quarantine/quarantine.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { nextEpoch } from '../../src/store/quarantine.ts';
import { emptyStore } from '../support/empty-store.ts';
import type { Stage } from './engine.ts';
import { contractEpoch, createVolume } from './scene.ts';

export function quarantineContract({ contractor, newScene }: Stage): void {
  test('an unknown deployment is stopped, keeps its data in quarantine, and is removed after that', async () => {
    const scene = newScene();
    const { engine } = contractor();
    const db = await emptyStore();
    for (let epoch = 0; epoch < contractEpoch; epoch++) await nextEpoch(db);
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    const volumes = [{ volume: 'data', mountPath: '/srv' }];
    await scene.output({ ...scene.job('writer', 'append', '/srv/log', 'first'), volumes });
    const web = scene.workload('web', { volumes });
    await scene.start(web);
    await scene.ready(web);

    const listed = async () => (await engine.listOwned()).filter(({ deploymentId }) => deploymentId === scene.id);
    const sweepAt = async (now: number) => {
      const sweeper = { engine, db, metrics: createMetrics(), now: () => now, graceMs: 0 };
      return await sweep(sweeper, new Map([[scene.id, await listed()]]), [scene.id]);
    };
    const first = await sweepAt(0);
    assert.deepEqual([first.entered, first.removed], [[scene.id], []]);
    assert.deepEqual(
      first.stopped.map(({ name }) => name),
      [web.name],
    );
    const kept = await listed();
    assert.ok(!kept.some(({ kind, phase }) => kind === 'workload' && phase === 'running'));
    assert.deepEqual(kept.flatMap(({ kind }) => (kind === 'volume' || kind === 'network' ? [kind] : [])).sort(), [
      'network',
      'volume',
    ]);

    const before = await sweepAt(minQuarantineMs - 1);
    assert.deepEqual([before.entered, before.stopped, before.removed], [[], [], []]);
    const reader = { ...scene.job('reader', 'append', '/srv/log', 'second'), volumes };
    assert.deepEqual(await scene.output(reader), ['first', 'second'], 'the data is still there');
    await sweepAt(minQuarantineMs);
    assert.deepEqual(await listed(), []);
  });
}
