/** How much fits into a volume, and what becomes of it when that changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiskUse } from '../../src/deployment/disk/disk-use.ts';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { until } from '../scenarios/berth.ts';
import type { Stage } from './engine.ts';
import { createVolume, type Scene } from './scene.ts';

const mebibyte = 2 ** 20;
const volumes = [{ volume: 'data', mountPath: '/srv' }];

export function volumesContract({ contractor, newScene }: Stage): void {
  /** Writes so many more bytes to a file; how large it is then. */
  async function fill(scene: Scene, pod: string, file: string, bytes: number): Promise<number> {
    const job: Workload = { ...scene.job(pod, 'fill', file, String(bytes)), volumes };
    return Number((await scene.output(job))[0]);
  }

  test('a volume is empty at first', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    assert.deepEqual(await scene.output({ ...scene.job('looker', 'list', '/srv'), volumes }), []);
  });

  test('a volume takes what its size says, and hardly more', async () => {
    if (!contractor().limitsVolumes) return;
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data', 12 * mebibyte));
    assert.equal(await fill(scene, 'first', '/srv/one', 11 * mebibyte), 11 * mebibyte);
    const more = await fill(scene, 'second', '/srv/two', 64 * mebibyte);
    assert.ok(more >= mebibyte && more < 4 * mebibyte, `${more} bytes more`);
    assert.deepEqual((await scene.observe()).volumeSizes, { data: 12 * mebibyte });
  });

  test('a volume grows while a workload has it, and keeps what is in it', async () => {
    if (!contractor().limitsVolumes) return;
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data', 12 * mebibyte));
    await scene.output({ ...scene.job('writer', 'append', '/srv/log', 'kept'), volumes });
    const web = scene.workload('web', { volumes });
    await scene.start(web);
    await scene.ready(web);
    await scene.execute({ kind: 'grow-volume', volume: 'data', sizeBytes: 40 * mebibyte });
    assert.deepEqual((await scene.observe()).volumeSizes, { data: 40 * mebibyte });
    assert.equal(await fill(scene, 'filler', '/srv/large', 30 * mebibyte), 30 * mebibyte);
    const log = await scene.output({ ...scene.job('reader', 'append', '/srv/log', 'more'), volumes });
    assert.deepEqual(log, ['kept', 'more']);
    assert.equal((await scene.find(web))?.restarts, 0);
  });

  test('a volume is never made smaller', async () => {
    if (!contractor().limitsVolumes) return;
    const scene = newScene();
    for (const size of [40, 12]) await scene.execute({ kind: 'create-network' }, createVolume('data', size * mebibyte));
    await scene.execute({ kind: 'grow-volume', volume: 'data', sizeBytes: 12 * mebibyte });
    assert.equal(await fill(scene, 'filler', '/srv/large', 30 * mebibyte), 30 * mebibyte);
  });

  /** Workloads write on their own time. */
  async function untilUse(is: (uses: DiskUse[]) => boolean): Promise<DiskUse[]> {
    return await until('so much is used', async () => {
      const uses = await contractor().engine.diskUse();
      return is(uses) ? uses : undefined;
    });
  }

  test('what is in a volume is told, and how full that makes it', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data', 12 * mebibyte));
    await fill(scene, 'filler', '/srv/file', 9 * mebibyte);
    const uses = await untilUse((all) =>
      all.some(({ kind, usedBytes }) => kind === 'volume' && usedBytes > 8 * mebibyte),
    );
    const [use] = uses.filter(({ deploymentId }) => deploymentId === scene.id);
    assert.ok(use?.kind === 'volume' && use.volume === 'data');
    if (!contractor().limitsVolumes) return;
    assert.ok(use.fullShare !== undefined && use.fullShare > 0.6 && use.fullShare < 0.85, String(use.fullShare));
    await fill(scene, 'second', '/srv/more', 64 * mebibyte);
    await untilUse((all) => all.some((one) => one.kind === 'volume' && (one.fullShare ?? 0) >= 0.995));
  });

  test('what a workload writes outside of volumes is told, and what it writes to its volume is not counted', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data', 12 * mebibyte));
    const writer = { ports: [], readiness: { kind: 'running' as const }, volumes };
    const file = contractor().isTmpInMemory ? '/www/file' : '/tmp/file';
    const inside = scene.workload('inside', { ...writer, command: ['hold', file, String(5 * mebibyte)] });
    const beside = scene.workload('beside', { ...writer, command: ['hold', '/srv/file', String(5 * mebibyte)] });
    await scene.start(inside, beside);
    const uses = await untilUse((all) =>
      all.some((one) => one.kind === 'workload' && one.name === inside.name && one.usedBytes >= 5 * mebibyte),
    );
    const other = uses.find((one) => one.kind === 'workload' && one.name === beside.name);
    assert.ok(other?.kind === 'workload' && other.pod === 'beside' && other.usedBytes < mebibyte, JSON.stringify(uses));
    assert.deepEqual(await contractor().neighbour.diskUse(), []);
  });
}
