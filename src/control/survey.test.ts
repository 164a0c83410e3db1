import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEngine, shopOnMemory } from '../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../test/support/deployments.ts';
import { createTestEngine } from '../../test/support/memory-engine.ts';
import { hashObserved } from '../deployment/workload/workload.ts';
import { acquireLeases, makeDue, nextDueAt, releaseLease } from '../store/leases.ts';
import { createTidying } from './loop.ts';

const volumes = [{ name: 'data', sizeBytes: 1, mountPath: '/data' }];
const spec = specOf(pod('web', { image: 'nginx:1', path: '/', servicePorts: [80], volumes }));

/** A shop that was visited and is well. */
async function settledShop() {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const { db, now, settings } = shop.control;
  await shop.visit();
  const engine = createTestEngine({ world: shop.world });
  const settle = async () => {
    await makeDue(db, 'shop', now());
    const [lease] = await acquireLeases(db, { now: now(), leaseMs: 1, horizonMs: settings.revisitMs, limit: 1 });
    const observedHash = hashObserved(await engine.observe('shop', []));
    await releaseLease(db, lease!, { dueAt: now() + settings.revisitMs, observedHash });
  };
  await settle();
  const tidying = createTidying(onEngine(shop.control, engine));
  return { ...shop, engine, settle, look: async () => (await tidying.tidy()).changed };
}

test('a deployment whose resources match its last visit is not visited', async () => {
  const { look, control } = await settledShop();
  assert.deepEqual(await look(), []);
  assert.equal(await nextDueAt(control.db), control.now() + control.settings.revisitMs);
});

for (const [title, happen] of [
  ['stops', ({ engine }) => engine.halt('berth-shop-web-1-0')],
  ['is removed', ({ engine }) => engine.lose({ kind: 'workload', id: 'berth-shop-web-1-0' })],
  ['loses its network', ({ engine }) => engine.lose({ kind: 'network', id: 'shop' })],
  ['is paused', ({ engine }) => engine.tamper('berth-shop-web-1-0', 'paused')],
  ['is taken off its network', ({ engine }) => engine.tamper('berth-shop-web-1-0', 'off-network')],
  ['loses its volume', ({ world }) => world.volumes.clear()],
] as [string, (shop: Awaited<ReturnType<typeof settledShop>>) => void][]) {
  test(`a deployment one of whose workloads ${title} is due, even without an event`, async () => {
    const shop = await settledShop();
    happen(shop);
    assert.deepEqual(await shop.look(), ['shop']);
    assert.equal(await nextDueAt(shop.control.db), shop.control.now());
    await shop.settle();
    assert.deepEqual(await shop.look(), [], 'once');
  });
}
