import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { addNeighbour, onEngine, type Shop, shopOnMemory } from '../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../test/support/deployments.ts';
import { createTestEngine } from '../../test/support/memory-engine.ts';
import { deploymentById } from '../store/deployments.ts';
import { nextDueAt } from '../store/leases.ts';
import { startLoop } from './loop.ts';

const spec = specOf(pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] }));

async function reach(shop: Shop, isSo: (shop: Shop) => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo(shop))) {
    if (performance.now() > deadline) assert.fail(JSON.stringify(await shop.deployment()));
    await delay(10);
  }
}

/** Returns whether the deployment waits for its time: no process visits it, and it is not due. */
async function isWaiting({ control, clock }: Shop): Promise<boolean> {
  const { token, dueAt } = await control.db.selectFrom('leases').selectAll().executeTakeFirstOrThrow();
  return token === null && dueAt !== null && dueAt > clock.now;
}

test('the loop takes up what is due, what it is woken for, and what the engine says has changed', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const engine = createTestEngine({ world: shop.world });
  const loop = startLoop(onEngine(shop.control, engine));
  t.after(() => loop.stop());
  await reach(shop, async () => (await shop.deployment()).state === 'running');

  engine.halt('berth-shop-web-1-0');
  await reach(shop, async () => shop.world.containers.get('berth-shop-web-1-0')?.phase === 'running');

  await shop.intend({ removedAt: shop.clock.now });
  loop.wake('shop');
  await reach(shop, async () => (await shop.deployment()).goneAt !== null);
  await loop.stop();
  assert.deepEqual(await engine.listOwned(), []);
});

test('a fault of the engine is retried, and reported to the owner once', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const engine = createTestEngine({ world: shop.world });
  engine.interrupt({ operation: 1, when: 'before' });
  engine.interrupt({ operation: 2, when: 'before' });
  const loop = startLoop(onEngine(shop.control, engine));
  t.after(() => loop.stop());
  await reach(shop, async () => {
    if ((await shop.deployment()).state === 'running') return true;
    // The clock of this test only moves on request, and so does the time of a retry.
    if (await isWaiting(shop)) {
      shop.clock.pass(1_000);
      loop.wake('shop');
    }
    return false;
  });
  await loop.stop();
  const faults = (await shop.events()).filter((message) => message.includes('tried again'));
  assert.equal(faults.length, 1);
});

test('a stopped loop has given its leases back, and a second one goes on', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { program: () => ({ ports: [] }) } });
  const first = startLoop(onEngine(shop.control, createTestEngine({ world: shop.world })));
  t.after(() => first.stop());
  await reach(shop, async () => shop.world.containers.size === 1);
  await first.stop();
  assert.equal((await shop.deployment()).state, 'deploying');
  shop.world.containers.get('berth-shop-web-1-0')!.run.ports = [80];
  const second = startLoop(onEngine(shop.control, createTestEngine({ world: shop.world })));
  t.after(() => second.stop());
  await reach(shop, async () => (await shop.deployment()).state === 'running');
  await second.stop();
});

test('a lease that cannot be given back, because the store takes nothing, runs out', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const { db } = shop.control;
  await sql`create trigger full before update on leases when new.token is null
    begin select raise(abort, 'database or disk is full'); end`.execute(db);
  const complaints: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, message: string) => void complaints.push(message) };
  const loop = startLoop({ ...shop.control, log, engine: createTestEngine({ world: shop.world }) });
  t.after(() => loop.stop());
  await reach(shop, async () => complaints.includes('a lease could not be released; it expires'));
  await sql`drop trigger full`.execute(db);
  await shop.intend({ removedAt: shop.clock.now });
  shop.clock.pass(shop.control.settings.leaseMs);
  loop.wake('shop');
  await reach(shop, async () => (await shop.deployment()).goneAt !== null);
});

test('changes without an event are found by the survey', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const engine = createTestEngine({ world: shop.world });
  const loop = startLoop({
    ...shop.control,
    engine: { ...engine, watch() {} },
    settings: { ...shop.control.settings, pollMs: 10, resyncMs: 10 },
  });
  t.after(() => loop.stop());
  await reach(shop, async () => (await shop.deployment()).state === 'running' && (await isWaiting(shop)));
  engine.halt('berth-shop-web-1-0');
  await reach(shop, async () => shop.world.containers.get('berth-shop-web-1-0')?.phase === 'running');
});

test('what happens while a visit looks for the last time is looked at again at once', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const engine = createTestEngine({ world: shop.world });
  let isHalted = false;
  const observe: typeof engine.observe = async (...requested) => {
    const seen = await engine.observe(...requested);
    const isDone = (await shop.deployment()).state === 'running';
    if (isDone && !isHalted) engine.halt('berth-shop-web-1-0');
    isHalted ||= isDone;
    return seen;
  };
  const loop = startLoop({ ...shop.control, engine: { ...engine, observe } });
  t.after(() => loop.stop());
  await reach(shop, async () => (await shop.deployment()).state === 'running');
  await shop.intend({});
  loop.wake('shop');
  await reach(shop, async () => isHalted && shop.world.containers.get('berth-shop-web-1-0')?.phase === 'running');
});

test('a process that has stood still for longer than its lease lets go of its old visit', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { program: () => ({ ports: [] }) } });
  const engine = createTestEngine({ world: shop.world });
  const waits: AbortSignal[] = [];
  const change: typeof engine.change = async (...requested) => {
    waits.push(requested[3]);
    await engine.change(...requested);
  };
  const settings = { ...shop.control.settings, pollMs: 10 };
  const loop = startLoop({ ...shop.control, settings, engine: { ...engine, change } });
  t.after(() => loop.stop());
  await reach(shop, async () => waits.length === 1);
  shop.clock.pass(settings.leaseMs);
  await reach(shop, async () => waits.length === 2);
  assert.deepEqual(
    waits.map(({ aborted }) => aborted),
    [true, false],
  );
  await shop.intend({ removedAt: shop.clock.now });
  loop.wake('shop');
  await reach(shop, async () => (await shop.deployment()).goneAt !== null);
});

for (const [title, image] of [
  ['pull', { isOnHost: false }],
  ['wait for a pod', { program: () => ({ ports: [] }) }],
] as const) {
  test(`any number of deployments that ${title} do not delay others`, async (t) => {
    const shop = await shopOnMemory(spec, { 'nginx:1': {}, 'slow:1': image });
    const engine = createTestEngine({ world: shop.world });
    const over = new AbortController();
    const store = engine.images!;
    const pull: typeof store.pull = async (...requested) => {
      if (!over.signal.aborted) await once(over.signal, 'abort');
      return await store.pull(...requested);
    };
    let waiting = 0;
    const slow = specOf(pod('web', { image: 'slow:1', path: '/', servicePorts: [80] }));
    for (let number = 0; number < 100; number++) await addNeighbour(shop, `slow${number}`, slow);
    const change: typeof engine.change = async (...requested) => {
      waiting++;
      await engine.change(...requested);
    };
    await shop.intend({});
    const loop = startLoop({ ...shop.control, engine: { ...engine, images: { ...store, pull }, change } });
    t.after(async () => {
      over.abort();
      await loop.stop();
    });
    const isSlow = async () => waiting >= 100 || shop.world.networks.size >= 101;
    await reach(shop, async () => (await isSlow()) && (await shop.deployment()).state === 'running');
    await addNeighbour(shop, 'late', spec);
    loop.wake('late');
    await reach(shop, async () => (await deploymentById(shop.control.db, 'late'))?.state === 'running');
  });
}

/** Starts a pull that continues until the test completes it. */
async function pullingShop(t: TestContext, settings: object = {}) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const shop = await shopOnMemory(spec, { 'nginx:1': { isOnHost: false, held: promise }, 'nginx:2': {} });
  const { control } = shop;
  const engine = createTestEngine({ world: shop.world });
  const loop = startLoop({ ...control, engine, settings: { ...control.settings, ...settings } });
  t.after(() => loop.stop());
  await reach(shop, async () => (await shop.deployment()).pods[0]?.message === 'its image is being downloaded');
  return { shop, loop, letGo };
}

test('a removal does not wait for a pull that is under way', async (t) => {
  const { shop, loop } = await pullingShop(t);
  await shop.intend({ removedAt: shop.clock.now });
  loop.wake('shop');
  await reach(shop, async () => (await shop.deployment()).goneAt !== null);
});

test('nor does an update, nor the end of the loop', async (t) => {
  const { shop, loop } = await pullingShop(t);
  await shop.update(specOf(pod('web', { image: 'nginx:2', path: '/', servicePorts: [80] })));
  loop.wake('shop');
  await reach(shop, async () => (await shop.deployment()).state === 'running');
  await shop.update(spec);
  loop.wake('shop');
  await reach(shop, async () => (await shop.deployment()).pods[0]?.message === 'its image is being downloaded');
  await loop.stop();
  assert.equal((await shop.deployment()).state, 'deploying');
});

test('a pull in which nothing moves for too long fails in words, and is taken up when it does', async (t) => {
  const { shop, loop, letGo } = await pullingShop(t, { deployDeadlineMs: 100 });
  const ticking = setInterval(() => shop.clock.pass(10), 10);
  t.after(() => clearInterval(ticking));
  let message = '';
  await reach(shop, async () => {
    const deployment = await shop.deployment();
    message = deployment.message;
    return deployment.state === 'failed';
  });
  assert.equal(
    message,
    'pod web: The pull of nginx:1 has stalled: its registry docker.io may have stopped sending (it starts as soon as its registry answers)',
  );
  letGo();
  await shop.intend({});
  loop.wake('shop');
  await reach(shop, async () => (await shop.deployment()).state === 'running');
});

test('when the clock is set back, all deployments are still visited soon', async (t) => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const loop = startLoop(onEngine(shop.control, createTestEngine({ world: shop.world })));
  t.after(() => loop.stop());
  await reach(shop, async () => (await shop.deployment()).state === 'running' && (await isWaiting(shop)));
  const { settings, db } = shop.control;
  // The time is shorter than the planning horizon, so no other event wakes the deployment.
  shop.clock.pass(-settings.revisitMs / 2);
  loop.wake('');
  const latest = shop.clock.now + settings.resyncMs;
  await reach(shop, async () => ((await nextDueAt(db)) ?? Number.POSITIVE_INFINITY) <= latest);
});
