import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { AppSpec } from '../config/spec.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { pod, specOf } from '../deployment/testing.ts';
import { EngineFault } from '../engine/engine.ts';
import { createMemoryEngine, type MemoryEngine } from '../engine/memory.ts';
import { reconcile } from './reconcile.ts';
import { createStandstills } from './standstills.ts';
import { neighbourOf, type Shop, shopOnMemory } from './testing.ts';

const images = {
  'postgres:15': { readyAfter: 2 },
  'nginx:1': { readyAfter: 1 },
  'nginx:2': { isOnHost: false },
  'bad:1': { exitCode: 3 },
};
const database = pod('db', {
  image: 'postgres:15',
  servicePorts: [5432],
  volumes: [{ name: 'data', sizeBytes: 1, mountPath: '/data' }],
});
const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });
const spec = specOf(database, web);
const withWeb = (image: string): AppSpec => specOf(database, { ...web, image });

test('a deployment goes from nothing to running, and a second visit does nothing', async () => {
  const shop = await shopOnMemory(spec, images);
  const operations = await shop.visit();
  assert.deepEqual(operations, ['create-network', 'create-volume', 'start', 'start']);
  const { state, progress, servingRevision, message } = await shop.deployment();
  assert.deepEqual(
    { state, progress, servingRevision, message },
    { state: 'running', progress: 100, servingRevision: 1, message: '' },
  );
  assert.deepEqual(await shop.visit(), []);
});

test('another plan of its account lets it reach something else, and nothing of it is started anew', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  shop.plan.egress = { kind: 'none' };
  assert.deepEqual(await shop.visit(), ['set-egress']);
  assert.equal((await shop.control.engine.observe('shop', [])).egress, 'none');
  assert.deepEqual(await shop.visit(), []);
});

test('an update is pulled, starts beside the old, is routed when ready, and only then replaces it', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.update(withWeb('nginx:2'));
  assert.deepEqual(await shop.visit(), ['pull', 'start', 'remove']);
  assert.equal(shop.published.length, 2);
  assert.notEqual(shop.published[0], shop.published[1]);
  assert.equal((await shop.deployment()).servingRevision, 2);
});

test('an update that fails goes back to the revision that serves, and says so', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.update(withWeb('bad:1'));
  await shop.visit();
  const { state, message, servingRevision } = await shop.deployment();
  assert.equal(state, 'failed');
  assert.match(message, /^pod web: .*; revision 1 still serves$/);
  assert.equal(servingRevision, 1);
  assert.equal(shop.published.length, 1, 'the route never moved');
  assert.deepEqual([...shop.world.containers.keys()].toSorted(), ['berth-shop-db-1-0', 'berth-shop-web-1-0']);
  assert.deepEqual(await shop.visit(), []);
});

test('a failed update waits for the revision that it goes back to, as long as for any other', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'mute:1': { program: () => ({ ports: [] }) } });
  await shop.visit();
  await shop.update(specOf({ ...database, image: 'mute:1' }, web));
  assert.deepEqual(await shop.visit(), ['remove', 'start', 'remove', 'start']);
  const { state, message } = await shop.deployment();
  assert.deepEqual(
    [state, message],
    [
      'failed',
      'pod db: does not listen on port 5432, and nothing has moved for 60 s (it has written nothing); revision 1 still serves',
    ],
  );
  assert.deepEqual(await shop.visit(), []);
  assert.ok((await shop.deployment()).pods.every((pod) => pod.state === 'ready'));
});

test('an image that cannot be had fails the deployment at once, in words', async () => {
  const shop = await shopOnMemory(withWeb('private:1'), {
    ...images,
    'private:1': { isOnHost: false, pullFault: 'image-access-denied' },
  });
  await shop.visit();
  const { state, message } = await shop.deployment();
  assert.equal(state, 'failed');
  assert.ok(message.length > 0);
});

test('a failed deployment runs again when its pod recovers', async () => {
  const shop = await shopOnMemory(withWeb('private:1'), {
    ...images,
    'private:1': { isOnHost: false, pullFault: 'registry-unreachable' },
  });
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'failed');
  shop.world.images.set('private:1', {});
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
});

test("a fault that no retry has mended by the deadline fails the deployment with the fault's own words", async () => {
  const shop = await shopOnMemory(spec, images);
  const refuse = (engine: MemoryEngine) =>
    engine.interrupt({
      ...{ operation: 1, kind: 'start', when: 'before' },
      error: new EngineFault('unavailable', 'the host has no disk space left.'),
    });
  await assert.rejects(shop.visit(refuse), /no disk space/);
  assert.equal((await shop.deployment()).state, 'deploying');
  shop.clock.pass(shop.control.settings.deployDeadlineMs);
  await shop.visit(refuse);
  const { state, message } = await shop.deployment();
  assert.deepEqual([state, message], ['failed', 'pod db: the host has no disk space left']);
});

test('a pull goes on although its progress cannot be written', async () => {
  const shop = await shopOnMemory(withWeb('nginx:2'), { ...images, 'nginx:2': { isOnHost: false } });
  const { db } = shop.control;
  await shop.visit((engine) => {
    const { execute } = engine;
    engine.execute = async (id, operation, pulling) => {
      if (operation.kind !== 'pull') return await execute(id, operation, pulling);
      await sql`create trigger full before update on deployments
        begin select raise(abort, 'database or disk is full'); end`.execute(db);
      pulling?.progress?.(0.5);
      await new Promise((resolve) => setImmediate(resolve));
      await sql`drop trigger full`.execute(db);
      return await execute(id, operation);
    };
  });
  assert.equal((await shop.deployment()).state, 'running');
});

test('trouble with the engine is told while it lasts, and is not held against the application', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'postgres:15': { readyAfter: 1_000 } });
  const { deployDeadlineMs, leaseMs } = shop.control.settings;
  const words = 'The container engine does not answer. It is tried again; what runs keeps running.';
  for (const _ of ['once', 'and again']) {
    await assert.rejects(shop.visit(goAway), /does not answer/);
    assert.deepEqual(await stateOf(shop), ['deploying', words]);
    shop.clock.pass(deployDeadlineMs);
  }
  await assert.rejects(shop.visit(goAway), /does not answer/);
  shop.clock.pass(leaseMs);
  shop.world.images.set('postgres:15', {});
  await shop.visit();
  assert.deepEqual(await stateOf(shop), ['running', '']);

  await assert.rejects(shop.visit(goAway), /does not answer/);
  assert.deepEqual(await stateOf(shop), ['running', words]);
  shop.clock.pass(leaseMs);
  await shop.visit();
  assert.deepEqual(await stateOf(shop), ['running', '']);
});

test('the deadline is kept by a clock that never jumps', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'postgres:15': { readyAfter: 1_000 } });
  const { deployDeadlineMs, leaseMs } = shop.control.settings;
  let uptime = 0;
  shop.control.standstills = createStandstills(() => uptime);
  const fail = (engine: MemoryEngine) =>
    engine.interrupt({ operation: 1, when: 'before', error: new EngineFault('unavailable', 'not now.') });
  for (const jumpMs of [0, 10 * deployDeadlineMs, -20 * deployDeadlineMs]) {
    shop.clock.pass(jumpMs);
    await assert.rejects(shop.visit(fail), /not now/);
    shop.clock.pass(leaseMs);
    uptime += deployDeadlineMs / 3;
  }
  assert.equal((await shop.deployment()).state, 'deploying');
  await shop.visit(fail);
  assert.deepEqual(await stateOf(shop), ['failed', 'not now']);
});

test('a site goes when its deployment does, though the engine is away', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.intend({ removedAt: shop.clock.now });
  await assert.rejects(shop.visit(goAway), /does not answer/);
  assert.deepEqual(await stateOf(shop), ['expired', 'removed']);
  assert.equal(shop.published.at(-1), '');
  shop.clock.pass(shop.control.settings.leaseMs);
  await shop.visit();
  assert.deepEqual(await shop.control.engine.listOwned(), []);
});

function goAway(engine: MemoryEngine): void {
  engine.observe = async () => {
    throw new EngineFault('unavailable', 'The container engine does not answer.');
  };
}

test('a volume that is lost is told before it is made again; one that never was is no loss', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  const lose = () => {
    shop.world.containers.delete('berth-shop-db-1-0');
    shop.world.volumes.delete('shop/db-data');
  };
  const losses = async () => (await shop.events()).filter((message) => message.includes('was lost'));
  lose();
  await assert.rejects(shop.visit((engine) => engine.interrupt({ operation: 1, when: 'before' })));
  const words = 'The volume data of pod db was lost on the engine: what was in it is gone. It is made again, empty.';
  assert.deepEqual(await losses(), [words]);
  shop.clock.pass(shop.control.settings.leaseMs);
  await shop.visit();
  assert.deepEqual(await losses(), [words]);
  assert.equal((await shop.deployment()).state, 'running');
  lose();
  await shop.visit();
  assert.deepEqual(await losses(), [words, words]);

  const more = [...database.volumes, { name: 'more', sizeBytes: 1, mountPath: '/more' }];
  await shop.update(specOf({ ...database, volumes: more }, web));
  await shop.visit();
  assert.equal((await shop.deployment()).servingRevision, 2);
  assert.equal((await losses()).length, 2);
});

async function stateOf(shop: Shop) {
  const { state, message } = await shop.deployment();
  return [state, message];
}

test('nothing is removed while the edge has not let go of it', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.intend({ removedAt: shop.clock.now });
  const { refreshEdge } = shop.control;
  shop.control.refreshEdge = async () => {
    throw new Error('the edge is away');
  };
  for (const _ of ['once', 'and again']) {
    await assert.rejects(shop.visit(), /the edge is away/);
    shop.clock.pass(shop.control.settings.leaseMs);
    assert.equal(shop.world.containers.size, 2);
  }
  shop.control.refreshEdge = refreshEdge;
  await shop.visit();
  assert.deepEqual(await shop.control.engine.listOwned(), []);
});

test('nothing is removed on the word of a row whose route the edge never took', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'nginx:2': {} });
  const { control } = shop;
  await shop.visit();
  await shop.update(withWeb('nginx:2'));
  const { refreshEdge } = control;
  control.refreshEdge = async () => {
    // The row cannot say any more that the edge still has the old.
    await shop.intend({});
    throw new Error('the edge is away');
  };
  await assert.rejects(shop.visit(), /the edge is away/);
  control.refreshEdge = refreshEdge;
  shop.clock.pass(control.settings.leaseMs);
  const [served] = (await shop.deployment()).endpoints;
  await shop.visit((engine) => {
    const { execute } = engine;
    engine.execute = async (id, operation, ...rest) => {
      if (operation.kind === 'remove') assert.equal(shop.published.at(-1), `/ ${served!.address}`);
      return await execute(id, operation, ...rest);
    };
  });
  assert.deepEqual([...shop.world.containers.keys()].toSorted(), ['berth-shop-db-1-0', 'berth-shop-web-2-0']);
});

test('nothing is called running before the edge has its routes, whatever the row says', async () => {
  const shop = await shopOnMemory(spec, images);
  const { control } = shop;
  const { refreshEdge } = control;
  control.refreshEdge = async () => {
    await shop.intend({});
    throw new Error('the edge is away');
  };
  await assert.rejects(shop.visit(), /the edge is away/);
  const [written] = (await shop.deployment()).endpoints;
  control.refreshEdge = async () => {
    assert.equal((await shop.deployment()).state, 'deploying');
    await refreshEdge();
  };
  shop.clock.pass(control.settings.leaseMs);
  await shop.visit();
  assert.deepEqual(shop.published, [`/ ${written!.address}`]);
  assert.equal((await shop.deployment()).state, 'running');
});

test('a revision that visitors have got is one to go back to, though an update has come at that moment', async () => {
  const shop = await shopOnMemory(spec, images);
  const { control } = shop;
  const { refreshEdge } = control;
  control.refreshEdge = async () => {
    await refreshEdge();
    if (shop.published.length === 1) await shop.update(withWeb('bad:1'));
  };
  await shop.visit();
  shop.clock.pass(control.settings.deployDeadlineMs);
  await shop.visit();
  const { state, message, servingRevision } = await shop.deployment();
  assert.deepEqual([state, servingRevision], ['failed', 1]);
  assert.match(message, /; revision 1 still serves$/);
  assert.deepEqual([...shop.world.containers.keys()].toSorted(), ['berth-shop-db-1-0', 'berth-shop-web-1-0']);
});

test("a visit whose lease is somebody else's by now ends at once", async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.intend({ removedAt: shop.clock.now });
  const never = new AbortController().signal;
  let turns = 0;
  const interrupt = () => {
    assert.ok(++turns < 3, 'it goes round in circles');
    return never;
  };
  const visit = { lease: { deploymentId: 'shop', token: 'a lost one' }, stop: never, interrupt };
  assert.equal(await reconcile(visit, shop.control), null);
  assert.notEqual((await shop.deployment()).state, 'expired');
});

test("an address that was lost is nobody else's before the edge has let go of it", async () => {
  const shop = await shopOnMemory(spec, images);
  const { control } = shop;
  await shop.visit();
  const [served] = (await shop.deployment()).endpoints;
  createMemoryEngine({ world: shop.world }).lose({ kind: 'network', id: 'shop' });
  const { refreshEdge } = control;
  let neighbour: Deployment | undefined;
  control.refreshEdge = async () => {
    control.refreshEdge = refreshEdge;
    neighbour ??= await neighbourOf(shop, 'neighbour', spec);
    await refreshEdge();
  };
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
  assert.notEqual(neighbour!.endpoints[0]!.address, served!.address);
});

test('an edge that has taken a route and then failed is told again before anything is removed', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'nginx:2': {} });
  const { control } = shop;
  await shop.visit();
  await shop.update(withWeb('nginx:2'));
  const { refreshEdge } = control;
  control.refreshEdge = async () => {
    await refreshEdge();
    throw new EngineFault('bad-request', 'It has failed.');
  };
  const [served] = (await shop.deployment()).endpoints;
  const lookAtRemovals = (engine: MemoryEngine) => {
    const { execute } = engine;
    engine.execute = async (id, operation, ...rest) => {
      if (operation.kind === 'remove') assert.equal(shop.published.at(-1), `/ ${served!.address}`);
      return await execute(id, operation, ...rest);
    };
  };
  await shop.visit(lookAtRemovals);
  control.refreshEdge = refreshEdge;
  shop.clock.pass(control.settings.leaseMs);
  await shop.visit(lookAtRemovals);
  assert.equal((await shop.deployment()).state, 'failed');
});

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
