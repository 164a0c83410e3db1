/** The facet `addresses`: those that nothing new gets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facetOf } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';

export function addressesContract({ contractor, newScene }: Stage): void {
  async function startWeb() {
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    const { address } = await scene.ready(web);
    return { scene, web, address, holdBack: facetOf(contractor().engine, 'addresses').holdBack };
  }

  test('nothing new gets an address that is held back, with a new network nor without one', async () => {
    const { scene, web, address, holdBack } = await startWeb();
    holdBack(scene.id, [address!]);
    await scene.execute({ kind: 'remove', name: web.name }, { kind: 'start', workload: web });
    const second = await scene.ready(web);
    assert.notEqual(second.address, address);
    await scene.removeAll();
    holdBack(scene.id, [address!]);
    await scene.execute({ kind: 'create-network' }, { kind: 'start', workload: web });
    const elsewhere = await scene.ready(web);
    assert.notEqual(elsewhere.address, address);
    assert.notEqual(elsewhere.address, second.address);
  });

  test('what is held back is what was said last', async () => {
    const { scene, web, address, holdBack } = await startWeb();
    holdBack(scene.id, [address!]);
    holdBack(scene.id, []);
    await scene.execute({ kind: 'remove', name: web.name }, { kind: 'start', workload: web });
    assert.equal((await scene.ready(web)).address, address);
  });
}
