/** The facet `copies`: volumes are copied during use, and replaced while no workload uses them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facetOf } from '../../src/engine/engine.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Stage } from './engine.ts';
import { createVolume, type Scene } from './scene.ts';
import { mebibyte } from './volumes.ts';

const volumes = [
  { volume: 'data', mountPath: '/srv' },
  { volume: 'more', mountPath: '/mnt' },
];
const names = volumes.map(({ volume }) => volume);

export function copiesContract({ contractor, newScene }: Stage): void {
  const copies = () => facetOf(contractor().engine, 'copies');
  const sizes = async ({ id }: Scene) => Object.fromEntries(await copies().sizes(id));
  const listed = async (key: string) => (await copies().list()).includes(key);

  async function written(): Promise<Scene> {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'), createVolume('more'));
    await scene.output({ ...scene.job('writer', 'append', '/srv/log', 'old'), volumes });
    return scene;
  }

  test('volumes that are used are copied, and a copy is there until it is cleared', async () => {
    const scene = await written();
    const web = scene.workload('web', { volumes });
    await scene.start(web);
    await scene.ready(web);
    const key = newId();
    const copy = await copies().take(scene.id, names, key);
    assert.ok(copy.pausedMs >= 0);
    if (copy.kind === 'files') {
      assert.ok(copy.paths.length >= names.length, String(copy.paths));
      assert.equal((await scene.find(web))?.restarts, 0);
    }
    await scene.ready(web);
    assert.ok(await listed(key));
    await copies().clear(key);
    await copies().clear(key);
    assert.ok(!(await listed(key)));
    assert.ok((await copies().room(scene.id, names)) > 0);
  });

  test('nothing is copied of a volume that is not there', async () => {
    const scene = newScene();
    await assert.rejects(copies().take(scene.id, ['data'], newId()), /not on the host/);
  });

  test('a filled copy replaces unused volumes, with its size, and only once', async () => {
    const scene = await written();
    const [key, again] = [newId(), newId()];
    const wanted = names.map((volume) => ({ volume, sizeBytes: 14 * mebibyte }));
    for (const each of [again, key]) {
      await copies().make(scene.id, wanted, each);
      await copies().finish(scene.id, names, each);
    }
    assert.equal(await copies().swap(scene.id, names, { key: newId(), madeFor: scene.id }), false);
    assert.ok(await copies().swap(scene.id, names, { key, madeFor: scene.id }));
    assert.deepEqual(await sizes(scene), { data: 14 * mebibyte, more: 14 * mebibyte });
    const lines = () => scene.output({ ...scene.job(`a${newId()}`, 'append', '/srv/log', 'new'), volumes });
    assert.deepEqual(await lines(), ['new']);
    assert.ok(await copies().swap(scene.id, names, { key, madeFor: scene.id }));
    assert.deepEqual(await lines(), ['new', 'new']);
    for (const each of [again, key]) await copies().clear(each);
  });

  test("what was filled for one deployment becomes another's first volumes", async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' });
    const [key, other] = [newId(), `other${newId()}`];
    await copies().make(
      other,
      names.map((volume) => ({ volume, sizeBytes: 12 * mebibyte })),
      key,
      scene.id,
    );
    await copies().finish(other, names, key);
    assert.deepEqual((await scene.observe()).volumes, []);
    for (let calls = 0; calls < 2; calls++) assert.ok(await copies().swap(scene.id, names, { key, madeFor: other }));
    assert.deepEqual(await sizes(scene), { data: 12 * mebibyte, more: 12 * mebibyte });
    assert.deepEqual(await scene.output({ ...scene.job('writer', 'append', '/srv/log', 'new'), volumes }), ['new']);
    await copies().clear(key);
  });

  test('nothing takes the place of a volume that is used', async () => {
    const scene = await written();
    const web = scene.workload('web', { volumes });
    await scene.start(web);
    await scene.ready(web);
    const key = newId();
    const sizes = names.map((volume) => ({ volume, sizeBytes: 12 * mebibyte }));
    await copies().make(scene.id, sizes, key);
    await copies().finish(scene.id, names, key);
    await assert.rejects(copies().swap(scene.id, names, { key, madeFor: scene.id }));
    assert.equal((await scene.find(web))?.phase, 'running');
    await scene.execute({ kind: 'remove', name: web.name });
    const lines = await scene.output({ ...scene.job('reader', 'append', '/srv/log', 'more'), volumes });
    assert.deepEqual(lines, ['old', 'more']);
    await copies().clear(key);
  });
}
