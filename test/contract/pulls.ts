/** Giving up a pull that takes too long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from './engine.ts';

export function pullContract({ contractor, newScene }: Stage): void {
  test('a pull that is given up ends at once, and may be asked for again', async () => {
    const scene = newScene();
    const { engine } = contractor();
    const { image, letGo } = await contractor().heldImage();
    const operation = { kind: 'pull', image, because: 'the test says so' } as const;
    const giveUp = new AbortController();
    const pulling = engine.execute(scene.id, operation, { signal: giveUp.signal });
    const reason = new Error('nobody wants it any more');
    giveUp.abort(reason);
    await assert.rejects(pulling, reason);
    await assert.rejects(engine.execute(scene.id, operation, { signal: giveUp.signal }), reason);
    assert.deepEqual((await engine.observe(scene.id, [image])).images, []);
    letGo();
    await engine.execute(scene.id, operation, { signal: new AbortController().signal });
    assert.deepEqual((await engine.observe(scene.id, [image])).images, [image]);
  });

  test('a pull that one gives up goes on for another one', async () => {
    const scene = newScene();
    const { engine } = contractor();
    const { image, letGo } = await contractor().heldImage();
    const operation = { kind: 'pull', image, because: 'the test says so' } as const;
    const giveUp = new AbortController();
    const impatient = engine.execute(scene.id, operation, { signal: giveUp.signal });
    const patient = engine.execute(scene.id, operation);
    giveUp.abort(new Error('nobody wants it any more'));
    await assert.rejects(impatient);
    letGo();
    const [found] = await patient;
    assert.equal(found?.by, 'pull');
  });
}
