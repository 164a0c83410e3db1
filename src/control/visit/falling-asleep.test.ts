import assert from 'node:assert/strict';
import { test } from 'node:test';
import { database, images, shopOnMemory, spec, web } from '../../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../../test/support/deployments.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';
import { recordUse, wakeDeployment } from '../../store/sleep.ts';

const minute = 60_000;
const sleep = { freezeAfterMs: 10 * minute, freezeClaimedAfterMs: 30 * minute, stopAfterMs: 24 * 60 * minute };

async function runningShop({ claimed = false, of = spec }: { claimed?: boolean; of?: AppSpec } = {}) {
  const shop = await shopOnMemory(of, images);
  shop.control.settings.sleep = sleep;
  if (claimed) await shop.intend({ claimedAt: shop.clock.now, expiresAt: null });
  await shop.visit();
  return shop;
}

type Shop = Awaited<ReturnType<typeof runningShop>>;

const healthOf = async (shop: Shop) => statusAt(await shop.deployment(), shop.clock.now).health;
const changesIn = ({ world }: Shop) => [...world.containers.values()].map(({ tampering }) => tampering);
const wake = async ({ control, clock }: Shop) => await wakeDeployment(control.db, 'shop', clock.now);

test('an unused deployment is frozen, and a request thaws it without a new start', async () => {
  const shop = await runningShop();
  const names = [...shop.world.containers.keys()];
  shop.clock.pass(10 * minute - 1);
  assert.deepEqual(await shop.visit(), []);
  assert.equal(await healthOf(shop), 'running');
  const served = shop.published.at(-1);

  shop.clock.pass(1);
  assert.deepEqual(await shop.visit(), ['freeze', 'freeze']);
  assert.deepEqual(changesIn(shop), ['paused', 'paused']);
  assert.equal(shop.published.at(-1), '/ 0.0.0.0', 'requests wait at the edge');
  assert.equal(await healthOf(shop), 'asleep');
  assert.deepEqual(await shop.visit(), [], 'nothing is left to do');

  shop.clock.pass(minute);
  assert.equal(await wake(shop), true);
  assert.equal(await wake(shop), false, 'all requests share one wake');
  assert.equal(await healthOf(shop), 'asleep');
  shop.clock.pass(40);
  assert.deepEqual(await shop.visit(), ['thaw', 'thaw']);
  assert.deepEqual([changesIn(shop), shop.published.at(-1)], [[undefined, undefined], served]);
  assert.deepEqual([...shop.world.containers.keys()], names);
  const { state, wakes, wokeInMs, pods } = await shop.deployment();
  assert.deepEqual([state, wakes, wokeInMs, await healthOf(shop)], ['running', 1, 40, 'running']);
  assert.deepEqual(new Set(pods.map(({ restarts }) => restarts)), new Set([0]));
});

test('sleep and wake are one event each', async () => {
  const shop = await runningShop();
  const before = (await shop.events()).length;
  for (const _ of ['once', 'again']) {
    shop.clock.pass(10 * minute);
    await shop.visit();
    await wake(shop);
    await shop.visit();
  }
  assert.deepEqual((await shop.events()).slice(before), [
    ...Array(2).fill('asleep: not used, so its processes are frozen until the next request'),
    ...Array(2).fill('awake: woken up by a request'),
  ]);
});

test('requests, and those that are still open, keep a deployment awake', async () => {
  const shop = await runningShop();
  shop.clock.pass(9 * minute);
  await recordUse(shop.control.db, ['shop'], shop.clock.now);
  shop.clock.pass(9 * minute);
  assert.deepEqual(await shop.visit(), []);
  shop.control.underWay = async () => 1;
  shop.clock.pass(minute);
  assert.deepEqual(await shop.visit(), [], 'a WebSocket is open');
  shop.control.underWay = async () => 0;
  shop.clock.pass(9 * minute);
  assert.deepEqual(await shop.visit(), []);
  shop.clock.pass(minute);
  assert.deepEqual(await shop.visit(), ['freeze', 'freeze']);
});

test('a request that came in while the edge began to hold requests back wakes the deployment before it is frozen', async () => {
  const shop = await runningShop();
  let looks = 0;
  shop.control.underWay = async () => (looks++ === 0 ? 0 : 1);
  shop.control.wait = async () => {};
  shop.clock.pass(10 * minute);
  assert.deepEqual(await shop.visit(), []);
  assert.deepEqual([changesIn(shop), await healthOf(shop)], [[undefined, undefined], 'running']);
  assert.match(shop.published.at(-1)!, /^\/ 10\./);
});

test('a claimed deployment sleeps later, and its containers are removed after a day; a free one expires before', async () => {
  const shop = await runningShop({ claimed: true });
  const volumes = [...shop.world.volumes.values()];
  shop.clock.pass(30 * minute - 1);
  assert.deepEqual(await shop.visit(), []);
  shop.clock.pass(1);
  assert.deepEqual(await shop.visit(), ['freeze', 'freeze']);
  shop.clock.pass(24 * 60 * minute);
  assert.deepEqual(await shop.visit(), ['remove', 'remove', 'remove-network']);
  assert.deepEqual([[...shop.world.volumes.values()], shop.world.containers.size], [volumes, 0]);
  assert.deepEqual([await healthOf(shop), shop.published.at(-1)], ['asleep', '/ 0.0.0.0']);
  await wake(shop);
  await shop.visit();
  assert.deepEqual([shop.world.containers.size, await healthOf(shop)], [2, 'running']);
  assert.match(shop.published.at(-1)!, /^\/ 10\./);
});

test('a claimed deployment with a worker, or with `sleep: false`, stays awake; a free one sleeps all the same', async () => {
  const worker = pod('worker', { image: 'nginx:1', servicePorts: [] });
  const awake = [specOf(database, web, worker), { ...spec, sleep: false as const }];
  for (const of of awake) {
    const claimed = await runningShop({ claimed: true, of });
    claimed.clock.pass(40 * minute);
    assert.deepEqual(await claimed.visit(), []);
    const free = await runningShop({ of });
    free.clock.pass(40 * minute);
    assert.ok((await free.visit()).includes('freeze'));
  }
  const unreachable = await runningShop({ of: specOf(worker) });
  unreachable.clock.pass(40 * minute);
  assert.deepEqual(await unreachable.visit(), [], 'no request could wake it up');
});

test('a frozen deployment expires, is stopped by its owner, or is updated, without a wake before', async () => {
  const frozen = async () => {
    const shop = await runningShop();
    shop.clock.pass(10 * minute);
    await shop.visit();
    return shop;
  };
  const expired = await frozen();
  expired.clock.pass(60 * minute);
  assert.deepEqual(await expired.visit(), ['remove', 'remove', 'remove-volume', 'remove-network']);
  const stopped = await frozen();
  await stopped.intend({ stoppedAt: stopped.clock.now, pods: '[]' });
  assert.deepEqual(await stopped.visit(), ['remove', 'remove', 'remove-network']);
  const updated = await frozen();
  await updated.update(specOf(database, { ...web, image: 'nginx:2' }));
  assert.deepEqual((await updated.visit()).slice(0, 2), ['thaw', 'thaw']);
  assert.deepEqual([await healthOf(updated), changesIn(updated)], ['running', [undefined, undefined]]);
});

test('what another client of the engine thaws or ends is frozen again, or started by the next request', async () => {
  const shop = await runningShop();
  shop.clock.pass(10 * minute);
  await shop.visit();
  const [first, second] = shop.world.containers.values();
  delete first!.tampering;
  assert.deepEqual(await shop.visit(), ['freeze']);
  delete second!.tampering;
  second!.phase = 'exited';
  assert.deepEqual(await shop.visit(), []);
  await wake(shop);
  assert.deepEqual(await shop.visit(), ['thaw', 'start']);
  assert.equal(await healthOf(shop), 'running');
});
