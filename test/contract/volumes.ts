/** How much fits into a volume, and what becomes of it when that changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import type { Stage } from './engine.ts';
import { createVolume, type Scene } from './scene.ts';

export const mebibyte = 2 ** 20;
const volumes = [{ volume: 'data', mountPath: '/srv' }];

/** Writes so many more bytes to a file of the volume `data`; how large it is then. */
export async function fill(scene: Scene, pod: string, file: string, bytes: number): Promise<number> {
  const job: Workload = { ...scene.job(pod, 'fill', file, String(bytes)), volumes };
  return Number((await scene.output(job))[0]);
}

export function volumesContract({ contractor, newScene }: Stage): void {
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
}
