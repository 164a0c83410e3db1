/** The facet `usage`: what workloads use and volumes hold, as it is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facetOf } from '../../src/engine/engine.ts';
import { until } from '../scenarios/berth.ts';
import type { Stage } from './engine.ts';
import { createVolume } from './scene.ts';
import { fill, mebibyte } from './volumes.ts';

export function usageContract({ contractor, newScene }: Stage): void {
  const meter = () => facetOf(contractor().engine, 'usage');
  const usesOf = async (id: string) => (await meter().workloads()).filter(({ deploymentId }) => deploymentId === id);

  test('each running workload has its usage, its limits, and the time since its start', async () => {
    const scene = newScene();
    const limits = { cpuMillis: 500, memoryBytes: 64 * mebibyte };
    const web = scene.workload('web', { resources: { requests: {}, limits }, replica: 1, revision: 3 });
    await scene.start(web);
    await scene.ready(web);
    const [use, ...others] = await usesOf(scene.id);
    assert.deepEqual(others, []);
    assert.ok(use);
    const { cpuMs, memoryBytes, receivedBytes, sentBytes, startedAt, ...rest } = use;
    const named = { deploymentId: scene.id, pod: 'web', revision: 3, replica: 1 };
    assert.deepEqual(rest, { ...named, cpuLimitMillis: 500, memoryLimitBytes: 64 * mebibyte });
    assert.ok(memoryBytes > 0 && memoryBytes <= 64 * mebibyte, String(memoryBytes));
    for (const counted of [cpuMs, receivedBytes, sentBytes]) assert.ok(counted >= 0, JSON.stringify(use));
    assert.ok(Number.isInteger(startedAt) && startedAt > 0);
    const [later] = await usesOf(scene.id);
    assert.ok(later && later.cpuMs >= cpuMs && later.receivedBytes >= receivedBytes && later.startedAt === startedAt);
  });

  test('workloads that have ended, are gone, or belong to another installation have no usage', async () => {
    const scene = newScene();
    const [web, job] = [scene.workload('web'), scene.job('once', 'exit', '0')];
    await scene.start(web, job);
    await scene.ready(web);
    await scene.ready(job);
    assert.deepEqual(
      (await usesOf(scene.id)).map(({ pod }) => pod),
      ['web'],
    );
    assert.deepEqual(await facetOf(contractor().neighbour, 'usage').workloads(), []);
    await scene.execute({ kind: 'remove', name: web.name });
    assert.deepEqual(await usesOf(scene.id), []);
  });

  test('a volume with a hard limit has its usage, and its free space', async () => {
    if (!contractor().limitsVolumes) return;
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data', 12 * mebibyte));
    await fill(scene, 'filler', '/srv/file', 9 * mebibyte);
    const [volume] = await until('the volume holds it', async () => {
      const volumes = (await meter().volumes()).filter(({ deploymentId }) => deploymentId === scene.id);
      return volumes.some(({ usedBytes }) => usedBytes >= 9 * mebibyte) ? volumes : undefined;
    });
    assert.ok(volume?.volume === 'data' && volume.sizeBytes >= 12 * mebibyte && volume.sizeBytes < 20 * mebibyte);
  });
}
