import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, shopOnMemory, spec, withWeb } from '../../../test/support/controlled-deployment.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';

const namesIn = (shop: Awaited<ReturnType<typeof shopOnMemory>>) => [...shop.world.containers.keys()].toSorted();

test('one that is stopped has its volumes and its place, no container, no network and no route; what starts again has all', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  const before = { names: namesIn(shop), volumes: [...shop.world.volumes.values()] };
  await shop.intend({ stoppedAt: shop.clock.now, pods: '[]' });
  assert.deepEqual(await shop.visit(), ['remove', 'remove', 'remove-network']);
  assert.equal(shop.published.at(-1), '');
  assert.deepEqual([...shop.world.volumes.values()], before.volumes);
  assert.deepEqual([shop.world.containers.size, shop.world.networks.size], [0, 0]);
  assert.deepEqual(await shop.orphans(), []);
  assert.deepEqual(await shop.visit(), [], 'nothing is left to do');
  const { state, pods, goneAt } = await shop.deployment();
  assert.deepEqual([state, pods, goneAt], ['running', [], null]);

  await shop.intend({ stoppedAt: null, state: 'deploying', progress: 0 });
  await shop.visit();
  assert.deepEqual([namesIn(shop), [...shop.world.volumes.values()]], [before.names, before.volumes]);
  assert.equal((await shop.deployment()).state, 'running');
  assert.match(shop.published.at(-1)!, /^\/ /);
});

test('one that is suspended keeps containers, volumes and network, past its time limit too, until the suspension ends', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  const before = { names: namesIn(shop), volumes: [...shop.world.volumes.values()] };
  await shop.intend({ suspendedAt: shop.clock.now, suspendedBecause: 'phishing', pods: '[]' });
  await shop.visit();
  assert.deepEqual(
    [...shop.world.containers.values()].map(({ phase }) => phase),
    ['exited', 'exited'],
  );
  assert.equal(shop.published.at(-1), '');
  shop.clock.pass(2 * 24 * 60 * 60_000);
  assert.deepEqual(await shop.visit(), []);
  await shop.intend({ removedAt: shop.clock.now });
  assert.deepEqual(await shop.visit(), [], 'its owner has removed it');
  assert.deepEqual([namesIn(shop), [...shop.world.volumes.values()]], [before.names, before.volumes]);
  assert.deepEqual(await shop.orphans(), []);
  const resumed = { suspendedAt: null, state: 'deploying', progress: 0, removedAt: null } as const;
  await shop.intend({ ...resumed, expiresAt: shop.clock.now + 60_000 });
  await shop.visit();
  assert.deepEqual([namesIn(shop), [...shop.world.volumes.values()]], [before.names, before.volumes]);
  assert.match(shop.published.at(-1)!, /^\/ /);
});

test('one that is stopped expires at its time, with a warning before', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.intend({ stoppedAt: shop.clock.now, pods: '[]' });
  shop.clock.pass(51 * 60_000);
  await shop.visit();
  assert.ok((await shop.events()).some((event) => event.startsWith('it expires soon')));
  shop.clock.pass(9 * 60_000);
  assert.deepEqual(await shop.visit(), ['remove-volume']);
  assert.equal((await shop.deployment()).goneAt, shop.clock.now);
});

test('the next start of a restarted pod runs next to the first until it is ready; a pod with a volume stops first', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.intend({ restarts: '{"web":1}', state: 'deploying', progress: 0 });
  assert.deepEqual(await shop.visit(), ['start', 'remove']);
  assert.deepEqual(namesIn(shop), ['berth-shop-db-1-0', 'berth-shop-web-1-0-r1']);
  await shop.intend({ restarts: '{"web":1,"db":1}', state: 'deploying', progress: 0 });
  assert.deepEqual(await shop.visit(), ['remove', 'start']);
  assert.deepEqual(namesIn(shop), ['berth-shop-db-1-0-r1', 'berth-shop-web-1-0-r1']);
  assert.equal((await shop.deployment()).state, 'running');
  assert.deepEqual(await shop.visit(), []);
});

test('an update restarts nothing once more that was restarted before', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.intend({ restarts: '{"db":1}', state: 'deploying', progress: 0 });
  await shop.visit();
  await shop.update(withWeb('nginx:2'));
  await shop.visit();
  assert.deepEqual(namesIn(shop), ['berth-shop-db-1-0-r1', 'berth-shop-web-2-0']);
});

test('of several failing restarts only the last one remains', async () => {
  const shop = await shopOnMemory(withWeb('bad:1'), images);
  await shop.visit();
  for (const count of [1, 2]) {
    await shop.intend({ restarts: `{"web":${count}}`, state: 'deploying', progress: 0 });
    await shop.visit();
    assert.deepEqual(namesIn(shop), ['berth-shop-db-1-0', `berth-shop-web-1-0-r${count}`]);
  }
  assert.equal((await shop.deployment()).state, 'failed');
});

test('after a failed update, the earlier revision is reported as serving once the edge has its routes', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.update(withWeb('bad:1'));
  await shop.visit();
  await shop.intend({ stoppedAt: shop.clock.now, pods: '[]' });
  await shop.visit();
  await shop.intend({ stoppedAt: null });
  const healthNow = async () => statusAt(await shop.deployment(), shop.clock.now).health;
  const seen: string[] = [];
  const { refreshEdge } = shop.control;
  shop.control.refreshEdge = async () => {
    seen.push(await healthNow());
    await refreshEdge();
  };
  await shop.visit();
  assert.deepEqual([seen, await healthNow()], [['failed'], 'serving']);
});
