import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopOnMemory } from '../../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../../test/support/deployments.ts';
import { writeIntent } from '../../store/deployments.ts';
import { drain } from './execute.ts';

const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });

/** A drain of at most 30 s with a request under way until `idleAfterMs`. Only waiting advances the clock. */
async function newDrain({ idleAfterMs = Number.POSITIVE_INFINITY, isEdgeAway = false }) {
  const shop = await shopOnMemory(specOf(web), { 'nginx:1': {} });
  const [stop, interruption] = [new AbortController(), new AbortController()];
  const begunAt = shop.clock.now;
  const passed = () => shop.clock.now - begunAt;
  const order: string[] = [];
  const during: (() => Promise<void> | void)[] = [];
  const run = async () => {
    const deployment = await shop.deployment();
    await drain(deployment, ['10.0.0.2'], {
      db: shop.control.db,
      now: () => shop.clock.now,
      async wait(ms) {
        shop.clock.pass(ms);
        await during.shift()?.();
      },
      async aside(work) {
        order.push('leave');
        const result = await work();
        order.push('return');
        return result;
      },
      async underWay(addresses) {
        order.push('look');
        assert.deepEqual(addresses, ['10.0.0.2']);
        if (isEdgeAway) throw new Error('HAProxy does not respond');
        return passed() >= idleAfterMs ? 0 : 1;
      },
      drainMs: 30_000,
      stop: stop.signal,
      interrupted: interruption.signal,
    });
    return passed();
  };
  return { shop, stop, interruption, during, order, run };
}

test('a drain ends when nothing is under way any more, or with its time', async () => {
  assert.ok((await (await newDrain({ idleAfterMs: 0 })).run()) <= 50);
  const until700 = await (await newDrain({ idleAfterMs: 700 })).run();
  assert.ok(until700 >= 700 && until700 <= 750, `${until700} ms`);
  assert.equal(await (await newDrain({})).run(), 30_000);
  assert.equal(
    await (await newDrain({ idleAfterMs: 0, isEdgeAway: true })).run(),
    30_000,
    'if in doubt, for the whole time',
  );
});

test('other work continues during a drain', async () => {
  const { run, order } = await newDrain({ idleAfterMs: 120 });
  await run();
  assert.deepEqual(order, ['leave', 'look', 'look', 'look', 'return']);
});

test('when the next update waits, what is left has two seconds; a removal and a stop wait for nothing', async () => {
  const updated = await newDrain({});
  updated.during.push(() => updated.interruption.abort());
  assert.equal(await updated.run(), 2_000);

  const removed = await newDrain({});
  removed.during.push(async () => {
    await writeIntent(removed.shop.control.db, 'shop', { removedAt: removed.shop.clock.now });
    removed.interruption.abort();
  });
  assert.equal(await removed.run(), 50);

  const stopped = await newDrain({});
  stopped.during.push(() => stopped.stop.abort());
  assert.equal(await stopped.run(), 50);
});

test('a service that stops while it drains leaves the old workload, and the next one drains it again', async () => {
  const shop = await shopOnMemory(specOf(web), { 'nginx:1': {}, 'nginx:2': {} });
  await shop.visit();
  await shop.update(specOf({ ...web, image: 'nginx:2' }));
  const drained: string[] = [];
  shop.control.settings.drainMs = 100;
  shop.control.underWay = async ([address]) => {
    drained.push(address!);
    throw new Error('killed');
  };
  shop.control.afterOperation = ({ kind }) => {
    if (kind === 'drain') throw new Error('killed in mid-drain');
  };
  await assert.rejects(shop.visit(), /killed in mid-drain/);
  const { state, servingRevision } = await shop.deployment();
  assert.deepEqual([state, servingRevision], ['running', 2], 'it runs as soon as visitors have it');
  assert.equal(shop.world.containers.size, 2);

  delete shop.control.afterOperation;
  shop.clock.pass(shop.control.settings.leaseMs);
  const before = drained.length;
  await shop.visit();
  assert.deepEqual(new Set(drained.slice(before)), new Set(drained.slice(0, before)));
  assert.deepEqual([...shop.world.containers.keys()], ['berth-shop-web-2-0']);
});
