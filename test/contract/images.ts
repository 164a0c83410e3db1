/** The facet `images`: what is on the host, bringing more there, giving that up, removing. And how it is without one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFault, facetOf } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';

export function imagesContract({ contractor, newScene }: Stage): void {
  const store = () => facetOf(contractor().engine, 'images');

  test('of the given images, those on the host are reported', async () => {
    const scene = newScene();
    const { engine, image } = contractor();
    const { images } = await engine.observe(scene.id, [image, 'no-such-image:1']);
    assert.deepEqual(images, { present: [image], local: [image] });
  });

  test('an image that is on the host is not pulled again', async () => {
    const scene = newScene();
    const { image } = contractor();
    for (let time = 0; time < 2; time++)
      assert.deepEqual(await store().pull(scene.id, { image }), { image, reference: image, by: 'presence' });
  });

  test('an image that cannot be had is a fault in words', async () => {
    const pull = store().pull(newScene().id, { image: 'localhost:1/nothing:1' });
    await assert.rejects(pull, (error) => {
      assert.ok(error instanceof EngineFault);
      assert.ok(['image-not-found', 'registry-unreachable'].includes(error.kind), error.kind);
      assert.match(error.message, /localhost:1\/nothing:1/);
      return true;
    });
  });

  test('an image that something runs from is listed as in use, and not removed', async () => {
    const scene = newScene();
    const { engine, image } = contractor();
    await scene.start(scene.workload('web'));
    const found = (await store().list()).find(({ tags }) => tags.includes(image));
    assert.equal(found?.isInUse, true);
    assert.equal(await store().remove(found), false);
    assert.deepEqual((await engine.observe(scene.id, [image])).images?.present, [image]);
  });

  test('an aborted pull ends at once, and may be requested again', async () => {
    const scene = newScene();
    const { engine } = contractor();
    const { image, letGo } = await contractor().heldImage();
    const giveUp = new AbortController();
    const pulling = store().pull(scene.id, { image }, { signal: giveUp.signal });
    const reason = new Error('it is no longer needed');
    giveUp.abort(reason);
    await assert.rejects(pulling, reason);
    await assert.rejects(store().pull(scene.id, { image }, { signal: giveUp.signal }), reason);
    assert.deepEqual((await engine.observe(scene.id, [image])).images?.present, []);
    letGo();
    await store().pull(scene.id, { image }, { signal: new AbortController().signal });
    assert.deepEqual((await engine.observe(scene.id, [image])).images?.present, [image]);
  });

  test('a pull that one gives up goes on for another one', async () => {
    const scene = newScene();
    const { image, letGo } = await contractor().heldImage();
    const giveUp = new AbortController();
    const impatient = store().pull(scene.id, { image }, { signal: giveUp.signal });
    const patient = store().pull(scene.id, { image });
    giveUp.abort(new Error('it is no longer needed'));
    await assert.rejects(impatient);
    letGo();
    assert.equal((await patient).by, 'pull');
  });
}

export function noImagesContract({ contractor, newScene }: Stage): void {
  test('images are not reported, and a start fetches the one that it needs', async () => {
    const scene = newScene();
    const { image, letGo } = await contractor().heldImage();
    letGo();
    const { images } = await contractor().engine.observe(scene.id, [image, contractor().image]);
    assert.equal(images, undefined);
    const web = scene.workload('web', { image });
    await scene.start(web);
    await scene.ready(web);
  });

  test('a start whose image cannot be had is a fault in words', async () => {
    const scene = newScene();
    const start = scene.start(scene.workload('web', { image: 'localhost:1/nothing:1' }));
    await assert.rejects(start, (error) => {
      assert.ok(error instanceof EngineFault);
      assert.ok(['image-not-found', 'registry-unreachable'].includes(error.kind), error.kind);
      assert.match(error.message, /localhost:1\/nothing:1/);
      return true;
    });
  });
}
