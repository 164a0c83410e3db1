import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopOnMemory } from '../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../test/support/deployments.ts';
import { createTestEngine } from '../../test/support/memory-engine.ts';
import { createTidying } from './tidying.ts';

const spec = specOf(pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] }));

test('what no row wants is removed, what a row wants stays, and what another installation owns is not seen', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  await shop.visit();
  const { engine, metrics } = shop.control;
  const because = 'test';
  await engine.execute('stray', { kind: 'create-network', because });
  await engine.execute('stray', { kind: 'create-volume', volume: 'data', sizeBytes: 1, because });
  const neighbour = createTestEngine({ world: shop.world, owner: 'neighbour' });
  await neighbour.execute('theirs', { kind: 'create-network', because });

  const { removed } = await createTidying(shop.control).tidy();
  assert.deepEqual(removed.map(({ kind, deploymentId }) => `${kind} of ${deploymentId}`).toSorted(), [
    'network of stray',
    'volume of stray',
  ]);
  assert.deepEqual(await shop.orphans(), []);
  const text = await metrics.registry.metrics();
  assert.match(text, /^berth_orphans 2$/m);
  assert.match(text, /^berth_orphans_removed_total 2$/m);
  await createTidying(shop.control).tidy();
  assert.match(await metrics.registry.metrics(), /^berth_orphans 0$/m);
  assert.equal((await engine.listOwned()).length, 2);
  assert.equal((await neighbour.listOwned()).length, 1);
});

test('an update never makes an orphan of a volume that the deployment still has', async () => {
  const withVolume = specOf(
    pod('web', {
      image: 'nginx:1',
      path: '/',
      servicePorts: [80],
      volumes: [{ name: 'data', sizeBytes: 1, mountPath: '/data' }],
    }),
  );
  const shop = await shopOnMemory(withVolume, { 'nginx:1': {} });
  await shop.visit();
  await shop.update(spec);
  await shop.visit();
  await createTidying(shop.control).tidy();
  assert.equal((await shop.control.engine.listOwned()).filter(({ kind }) => kind === 'volume').length, 1);
});

test('what another process has removed since it was listed is no orphan', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  await shop.visit();
  const { engine } = shop.control;
  const { listOwned } = engine;
  engine.listOwned = async () => {
    const listed = await listOwned();
    engine.listOwned = listOwned;
    await shop.intend({ removedAt: shop.control.now() });
    await shop.visit();
    return listed;
  };
  assert.deepEqual((await createTidying(shop.control).tidy()).removed, []);
  assert.match(await shop.control.metrics.registry.metrics(), /^berth_orphans_removed_total 0$/m);
});
