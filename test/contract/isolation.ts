/** The facet `isolation`: what networks let out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgress } from '../../src/deployment/workload/egress.ts';
import { EngineFault, facetOf } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';

export function isolationContract({ contractor, newScene }: Stage): void {
  test('a network has its requested egress until it is changed', async () => {
    const scene = newScene();
    const isolation = facetOf(contractor().engine, 'isolation');
    const egress = async () => (await scene.observe()).egress;
    await scene.execute({ kind: 'create-network', egress: { kind: 'open' } });
    assert.equal(await egress(), 'open');
    // A network that is there stays as it is.
    await scene.execute({ kind: 'create-network', egress: { kind: 'none' } });
    assert.equal(await egress(), 'open');
    const list = parseEgress('203.0.113.0/24:443')!;
    for (let time = 0; time < 2; time++) await isolation.setEgress(scene.id, list);
    assert.equal(await egress(), '203.0.113.0/24:443');
    await scene.execute({ kind: 'remove-network' });
    assert.equal(await egress(), undefined);
    await scene.execute({ kind: 'create-network' });
    assert.equal(await egress(), 'none');
    const elsewhere = isolation.setEgress(`${scene.id}x`, list);
    await assert.rejects(elsewhere, (error) => error instanceof EngineFault && error.kind === 'unavailable');
  });
}

export function noIsolationContract({ newScene }: Stage): void {
  test('the egress of a network is not reported', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network', egress: { kind: 'none' } });
    const observed = await scene.observe();
    assert.deepEqual([observed.hasNetwork, observed.egress], [true, undefined]);
  });
}
