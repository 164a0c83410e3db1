/** The facet `disk`: how full it is, and who holds what of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiskUse } from '../../src/deployment/disk/disk-levels.ts';
import { facetOf } from '../../src/engine/engine.ts';
import { until } from '../scenarios/berth.ts';
import type { Stage } from './engine.ts';
import { createVolume } from './scene.ts';
import { fill, mebibyte } from './volumes.ts';

const volumes = [{ volume: 'data', mountPath: '/srv' }];

export function diskContract({ contractor, newScene }: Stage): void {
  const disk = () => facetOf(contractor().engine, 'disk');

  test("the used and free space of the host's disk is reported", async () => {
    const { disk } = await contractor().engine.capacity();
    assert.ok(disk && disk.usedBytes > 0 && disk.freeBytes > 0, JSON.stringify(disk));
  });

  test('where nothing is broken, nothing is mended', async () => {
    const mended = (await disk().mendVolumes()).filter(({ deploymentId }) => deploymentId === newScene().id);
    assert.deepEqual(mended, []);
  });

  /** Workloads write on their own time. */
  async function untilUse(is: (uses: DiskUse[]) => boolean): Promise<DiskUse[]> {
    return await until('so much is used', async () => {
      const uses = await disk().use();
      return is(uses) ? uses : undefined;
    });
  }

  test('the contents of a volume are measured, and its fill level', async () => {
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

  test('writes of a workload outside of volumes are measured, and writes to its volume do not count', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data', 12 * mebibyte));
    const writer = { ports: [], readiness: { kind: 'running' as const }, volumes };
    const file = contractor().isTmpInMemory ? '/www/file' : '/tmp/file';
    const inside = scene.workload('inside', { ...writer, command: ['hold', file, String(5 * mebibyte)] });
    const others = scene.workload('additional', { ...writer, command: ['hold', '/srv/file', String(5 * mebibyte)] });
    await scene.start(inside, others);
    const uses = await untilUse((all) =>
      all.some((one) => one.kind === 'workload' && one.name === inside.name && one.usedBytes >= 5 * mebibyte),
    );
    const other = uses.find((one) => one.kind === 'workload' && one.name === others.name);
    assert.ok(
      other?.kind === 'workload' && other.pod === 'additional' && other.usedBytes < mebibyte,
      JSON.stringify(uses),
    );
    assert.deepEqual(await facetOf(contractor().neighbour, 'disk').use(), []);
  });
}
