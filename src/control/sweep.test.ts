import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Shop, shopOnMemory } from '../../test/support/controlled-deployment.ts';
import { pod, specOf, webWorkload } from '../../test/support/deployments.ts';
import { createTestEngine } from '../../test/support/memory-engine.ts';
import type { Owned } from '../engine/engine.ts';
import {
  acceptSweep,
  decideQuarantined,
  holdSweep,
  nextEpoch,
  quarantined,
  readSweepState,
} from '../store/quarantine.ts';
import { createTidying } from './loop.ts';

const requested = { actor: 'me', now: 0 };
const spec = specOf(pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] }));

const because = 'test';
const day = 24 * 60 * 60_000;

/** A running workload, with network and volume, of a deployment that is missing from the store. */
async function strayOn({ control, world }: Shop, id: string, engine = createTestEngine({ world })): Promise<void> {
  await engine.execute(id, { kind: 'create-network', because });
  await engine.execute(id, { kind: 'create-volume', volume: 'data', sizeBytes: 1, because });
  const volumes = [{ volume: 'data', mountPath: '/data' }];
  const workload = webWorkload({ name: `berth-${id}-web-1-0`, image: 'nginx:1', volumes });
  await engine.execute(id, { kind: 'start', workload, because });
  assert.ok((await control.engine.listOwned()).some(({ deploymentId }) => deploymentId === id));
}

const kindsOf = (owned: readonly Owned[]) => owned.map(({ kind, deploymentId }) => `${kind} of ${deploymentId}`).sort();

test('things of a deployment that has ended are removed, wanted ones stay, and those of another installation are not seen', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  await shop.visit();
  const { engine, metrics, db } = shop.control;
  const neighbour = createTestEngine({ world: shop.world, owner: 'neighbour' });
  await neighbour.execute('theirs', { kind: 'create-network', because });
  const tidying = createTidying(shop.control);
  assert.deepEqual((await tidying.tidy()).swept.removed, []);

  await db.updateTable('deployments').set({ goneAt: shop.clock.now }).execute();
  const { swept } = await createTidying(shop.control).tidy();
  assert.deepEqual(kindsOf(swept.removed), ['network of shop', 'workload of shop']);
  assert.deepEqual(await shop.orphans(), []);
  const text = await metrics.registry.metrics();
  assert.match(text, /^berth_orphans 2$/m);
  assert.match(text, /^berth_orphans_removed_total 2$/m);
  await createTidying(shop.control).tidy();
  assert.match(await metrics.registry.metrics(), /^berth_orphans 0$/m);
  assert.deepEqual(await engine.listOwned(), []);
  assert.equal((await neighbour.listOwned()).length, 1);
});

test('an unknown deployment is stopped, kept for at least a day, and then removed', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  await shop.visit();
  const { control, clock } = shop;
  await strayOn(shop, 'stray');
  const tidying = createTidying(control);
  const { swept } = await tidying.tidy();
  assert.deepEqual([swept.entered, swept.removed, kindsOf(swept.stopped)], [['stray'], [], ['workload of stray']]);
  const workload = (await control.engine.listOwned()).find(({ name }) => name === 'berth-stray-web-1-0');
  assert.equal(workload?.phase, 'exited');
  clock.pass(day - 1);
  const later = (await tidying.tidy()).swept;
  assert.deepEqual([later.entered, later.removed, later.stopped], [[], [], []]);
  clock.pass(1);
  const { removed } = (await tidying.tidy()).swept;
  assert.deepEqual(kindsOf(removed), ['network of stray', 'volume of stray', 'workload of stray']);
  await tidying.tidy();
  assert.deepEqual([await shop.orphans(), await quarantined(control.db)], [[], []]);
});

test('an adopted deployment is never removed; one that the operator removes goes immediately, even during a hold', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const { control, clock } = shop;
  const { db } = control;
  for (const id of ['adopted', 'unwanted']) await strayOn(shop, id);
  const tidying = createTidying(control);
  await tidying.tidy();
  await decideQuarantined(db, { deploymentId: 'adopted', decision: 'adopt', ...requested });
  await decideQuarantined(db, { deploymentId: 'unwanted', decision: 'remove', ...requested });
  assert.equal(await decideQuarantined(db, { deploymentId: 'nothing', decision: 'remove', ...requested }), false);
  await holdSweep(db, { reasons: [{ kind: 'many-unknown', deployments: 4 }] });
  clock.pass(10 * day);
  const { removed } = (await tidying.tidy()).swept;
  assert.deepEqual(new Set(removed.map(({ deploymentId }) => deploymentId)), new Set(['unwanted']));
  await acceptSweep(db, requested);
  assert.deepEqual((await tidying.tidy()).swept.removed, []);
});

test('a row that comes back ends the quarantine, and its deployment runs again', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  await shop.visit();
  const { db, engine } = shop.control;
  const rows = await db.selectFrom('deployments').selectAll().execute();
  const others = [
    ['revisions', await db.selectFrom('revisions').selectAll().execute()],
    ['seeds', await db.selectFrom('seeds').selectAll().execute()],
    ['leases', await db.selectFrom('leases').selectAll().execute()],
  ] as const;
  await db.deleteFrom('deployments').execute();
  const tidying = createTidying(shop.control);
  assert.deepEqual((await tidying.tidy()).swept.entered, ['shop']);
  await db.insertInto('deployments').values(rows).execute();
  for (const [table, values] of others)
    await db
      .insertInto(table)
      .values(values as never)
      .execute();
  await tidying.tidy();
  assert.deepEqual(await quarantined(db), []);
  await shop.visit();
  assert.equal((await engine.observe('shop', [])).workloads[0]?.phase, 'running');
});

test('a store that is older than the engine holds the sweep until the operator accepts it', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  await shop.visit();
  const { control, clock, world } = shop;
  const { db } = control;
  await db.updateTable('deployments').set({ goneAt: clock.now }).execute();
  await strayOn(shop, 'stray', createTestEngine({ world, epoch: () => 7 }));
  const tidying = createTidying(control);
  const { begunHold, removed, stopped } = (await tidying.tidy()).swept;
  assert.deepEqual(begunHold?.reasons, [{ kind: 'later-epoch', epoch: 0, seen: 7 }]);
  assert.deepEqual([removed, stopped], [[], []]);
  assert.equal(await nextEpoch(db), 0, 'a restart does not end the hold');
  clock.pass(10 * day);
  assert.deepEqual((await createTidying(control).tidy()).swept.removed, []);

  assert.equal(await acceptSweep(db, { actor: 'me', now: clock.now }), true);
  assert.equal(await acceptSweep(db, { actor: 'me', now: clock.now }), false);
  const after = (await tidying.tidy()).swept;
  assert.deepEqual(kindsOf(after.removed), ['network of shop', 'workload of shop']);
  assert.deepEqual(kindsOf(after.stopped), ['workload of stray']);
  assert.equal((await readSweepState(db)).epoch, 8);
  clock.pass(day);
  assert.equal((await tidying.tidy()).swept.removed.length, 3, 'the time in quarantine counts from the acceptance');
});

test('more than three unknown deployments hold the sweep, and it is not held again once they are accepted', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': {} });
  const { control, clock } = shop;
  for (const id of ['a', 'b', 'c']) await strayOn(shop, id);
  const tidying = createTidying(control);
  assert.equal((await tidying.tidy()).swept.begunHold, undefined);
  await strayOn(shop, 'd');
  const { begunHold } = (await tidying.tidy()).swept;
  assert.deepEqual(begunHold?.reasons, [{ kind: 'many-unknown', deployments: 4 }]);
  await acceptSweep(control.db, { actor: 'me', now: clock.now });
  const after = (await tidying.tidy()).swept;
  assert.deepEqual([after.begunHold, after.stopped.length], [undefined, 1]);
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

test('a resource that another process has removed since the listing is not an orphan', async () => {
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
  assert.deepEqual((await createTidying(shop.control).tidy()).swept.removed, []);
  assert.match(await shop.control.metrics.registry.metrics(), /^berth_orphans_removed_total 0$/m);
});
