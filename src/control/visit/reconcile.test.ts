import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  database,
  images,
  shopOnMemory,
  spec,
  stateOf,
  web,
  withWeb,
} from '../../../test/support/controlled-deployment.ts';
import { specOf } from '../../../test/support/deployments.ts';
import type { TestEngine } from '../../../test/support/memory-engine.ts';
import { EngineFault } from '../../engine/engine.ts';
import { createPausedClock } from './paused-clock.ts';
import { reconcile } from './reconcile.ts';

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

test('another plan of its account changes its egress without a restart', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  shop.plan.egress = { kind: 'none' };
  assert.deepEqual(await shop.visit(), ['set-egress']);
  assert.equal((await shop.control.engine.observe('shop', [])).egress, 'none');
  assert.deepEqual(await shop.visit(), []);
});

test('an update is pulled, starts next to the old revision, is routed when ready, and only then replaces it', async () => {
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
      'pod db: does not listen on port 5432, and nothing has changed for 60 s (it has written nothing); revision 1 still serves',
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
  const refuse = (engine: TestEngine) =>
    engine.interrupt({
      operation: 1,
      kind: 'start',
      when: 'before',
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
    const store = engine.images!;
    const { pull } = store;
    store.pull = async (id, request, pulling) => {
      await sql`create trigger full before update on deployments
        begin select raise(abort, 'database or disk is full'); end`.execute(db);
      pulling?.progress?.(0.5);
      await new Promise((resolve) => setImmediate(resolve));
      await sql`drop trigger full`.execute(db);
      return await pull(id, request);
    };
  });
  assert.equal((await shop.deployment()).state, 'running');
});

test('trouble with the engine is reported while it lasts, and does not count against the application', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'postgres:15': { readyAfter: 1_000 } });
  const { deployDeadlineMs, leaseMs } = shop.control.settings;
  const words = 'The container engine does not respond. It will be tried again; what is running keeps running.';
  for (const _ of ['once', 'and again']) {
    await assert.rejects(shop.visit(goAway), /does not respond/);
    assert.deepEqual(await stateOf(shop), ['deploying', words]);
    shop.clock.pass(deployDeadlineMs);
  }
  await assert.rejects(shop.visit(goAway), /does not respond/);
  shop.clock.pass(leaseMs);
  shop.world.images.set('postgres:15', {});
  await shop.visit();
  assert.deepEqual(await stateOf(shop), ['running', '']);

  await assert.rejects(shop.visit(goAway), /does not respond/);
  assert.deepEqual(await stateOf(shop), ['running', words]);
  shop.clock.pass(leaseMs);
  await shop.visit();
  assert.deepEqual(await stateOf(shop), ['running', '']);
});

test('the deadline is kept by a clock that never jumps', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'postgres:15': { readyAfter: 1_000 } });
  const { deployDeadlineMs, leaseMs } = shop.control.settings;
  let uptime = 0;
  shop.control.pausedClock = createPausedClock(() => uptime);
  const fail = (engine: TestEngine) =>
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
  await assert.rejects(shop.visit(goAway), /does not respond/);
  assert.deepEqual(await stateOf(shop), ['expired', 'removed']);
  assert.equal(shop.published.at(-1), '');
  shop.clock.pass(shop.control.settings.leaseMs);
  await shop.visit();
  assert.deepEqual(await shop.control.engine.listOwned(), []);
});

function goAway(engine: TestEngine): void {
  engine.observe = async () => {
    throw new EngineFault('unavailable', 'The container engine does not respond.');
  };
}

test('a lost volume is reported before it is created again; one that never existed is not a loss', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  const lose = () => {
    shop.world.containers.delete('berth-shop-db-1-0');
    shop.world.volumes.delete('shop/db-data');
  };
  const losses = async () => (await shop.events()).filter((message) => message.includes('was lost'));
  lose();
  await assert.rejects(shop.visit((engine) => engine.interrupt({ operation: 1, when: 'before' })));
  const words = 'The volume data of pod db was lost on the engine with its data. It is created again, empty.';
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

test('a visit whose lease now belongs to another process ends at once', async () => {
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
