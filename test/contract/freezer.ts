/** The facet `freezer`: suspended processes keep their memory and get no processor time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facetOf } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';
import { identityPath, port } from './program.ts';

export function freezerContract({ contractor, newScene }: Stage): void {
  test('a frozen workload keeps its place and its connections, and continues when it is thawed', async () => {
    const { engine, hasRealAddresses } = contractor();
    const freezer = facetOf(engine, 'freezer');
    const scene = newScene();
    const web = scene.workload('web', { env: { IDENTITY: 'still here' } });
    await scene.start(web);
    const before = await scene.ready(web);
    for (const _ of ['once', 'again']) await freezer.freeze(scene.id, web.name);
    const frozen = await scene.until(web, ({ tampering }) => tampering === 'paused');
    assert.deepEqual([frozen.phase, frozen.address, frozen.isReady], ['running', before.address, false]);
    // The kernel accepts the connection; the program answers once it is thawed.
    const answer = hasRealAddresses ? fetch(`http://${before.address}:${port}${identityPath}`) : undefined;
    for (const _ of ['once', 'again']) await freezer.thaw(scene.id, web.name);
    const after = await scene.ready(web);
    assert.deepEqual([after.tampering, after.address, after.restarts], [undefined, before.address, before.restarts]);
    if (answer) assert.equal(await (await answer).text(), 'still here\n');
  });

  test('a workload that does not exist is neither frozen nor thawed, and can be removed while it is frozen', async () => {
    const freezer = facetOf(contractor().engine, 'freezer');
    const scene = newScene();
    const web = scene.workload('web');
    await freezer.freeze(scene.id, web.name);
    await freezer.thaw(scene.id, web.name);
    await scene.start(web);
    await scene.ready(web);
    await freezer.freeze(scene.id, web.name);
    await scene.execute({ kind: 'remove', name: web.name });
    assert.equal(await scene.find(web), undefined);
  });
}
