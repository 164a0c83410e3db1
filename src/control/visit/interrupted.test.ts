import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  database,
  images,
  type Shop,
  shopOnMemory,
  spec,
  web,
  withWeb,
} from '../../../test/support/controlled-deployment.ts';
import { specOf } from '../../../test/support/deployments.ts';

for (const [ending, end] of [
  ['expired', async (shop: Shop) => shop.clock.pass(3_600_000)],
  ['removed', async (shop: Shop) => await shop.intend({ removedAt: shop.clock.now })],
] as const) {
  test(`a deployment that is ${ending} loses its route first and leaves nothing`, async () => {
    const shop = await shopOnMemory(spec, images);
    await shop.visit();
    await end(shop);
    assert.deepEqual(await shop.visit(), ['remove', 'remove', 'remove-volume', 'remove-network']);
    assert.equal(shop.published.at(-1), '');
    assert.deepEqual(await shop.control.engine.listOwned(), []);
    const { state, goneAt } = await shop.deployment();
    assert.deepEqual([state, goneAt], ['expired', shop.clock.now]);
  });
}

type Story = { title: string; tell: (shop: Shop) => Promise<void>; ends: 'running' | 'expired' };

const stories: Story[] = [
  { title: 'a start', tell: async () => {}, ends: 'running' },
  {
    title: 'an update',
    tell: async (shop) => {
      await shop.visit();
      await shop.update(withWeb('nginx:2'));
    },
    ends: 'running',
  },
  {
    title: 'an update of a pod with a volume',
    tell: async (shop) => {
      await shop.visit();
      await shop.update(specOf({ ...database, vars: { A: '1' } }, web));
    },
    ends: 'running',
  },
  {
    title: 'a removal',
    tell: async (shop) => {
      await shop.visit();
      await shop.intend({ removedAt: shop.clock.now });
    },
    ends: 'expired',
  },
  {
    title: 'a stop',
    tell: async (shop) => {
      await shop.visit();
      await shop.intend({ stoppedAt: shop.clock.now, pods: '[]' });
    },
    ends: 'running',
  },
  {
    title: 'a start after a stop',
    tell: async (shop) => {
      await shop.visit();
      await shop.intend({ stoppedAt: shop.clock.now, pods: '[]' });
      await shop.visit();
      await shop.intend({ stoppedAt: null, state: 'deploying', progress: 0 });
    },
    ends: 'running',
  },
  ...['db', 'web'].map((name) => ({
    title: `a restart of ${name}`,
    tell: async (shop: Shop) => {
      await shop.visit();
      await shop.intend({ restarts: `{"${name}":1}`, state: 'deploying', progress: 0 });
    },
    ends: 'running' as const,
  })),
];

for (const { title, tell, ends } of stories) {
  for (const when of ['before', 'halfway', 'after'] as const) {
    test(`${title}, killed ${when} any of its operations, converges at the next visit without an orphan`, async () => {
      const whole = await shopOnMemory(spec, images);
      await tell(whole);
      const count = (await whole.visit()).length;
      assert.ok(count > 0);
      for (let operation = 1; operation <= count; operation++) {
        const shop = await shopOnMemory(spec, images);
        await tell(shop);
        await assert.rejects(
          shop.visit((engine) => engine.interrupt({ operation, when })),
          /interrupted/,
        );
        // The dead process' lease has to run out first.
        shop.clock.now += shop.control.settings.leaseMs;
        await shop.visit();
        assert.equal((await shop.deployment()).state, ends);
        assert.deepEqual(await shop.orphans(), []);
        assert.deepEqual([...shop.world.containers.keys()].toSorted(), [...whole.world.containers.keys()].toSorted());
        assert.deepEqual(await shop.visit(), []);
      }
    });
  }
}
