import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, type Shop, shopOnMemory, spec } from '../../../test/support/controlled-deployment.ts';
import { committedInAll } from '../../store/commitments.ts';
import { findStoredRevision } from '../../store/revisions.ts';
import { limitRetained } from '../limit-retained.ts';

const hour = 3_600_000;

async function shopWithGrace(): Promise<Shop> {
  const shop = await shopOnMemory(spec, images);
  shop.control.settings.graceMs = 24 * hour;
  await shop.visit();
  return shop;
}

const committed = async ({ control: { db } }: Shop) => {
  const { memoryBytes, containers, volumes, diskBytes } = await committedInAll(db);
  return { memoryBytes, containers, volumes, hasDisk: diskBytes > 0 };
};

function onShortDisk({ control }: Shop): Shop['control'] {
  const capacity = async () => ({
    ...(await control.engine.capacity()),
    disk: { usedBytes: 10 ** 12, freeBytes: 1 },
  });
  return { ...control, engine: { ...control.engine, capacity } };
}

const nothing = { memoryBytes: 0, containers: 0, volumes: 0, hasDisk: false };

test('one that expires keeps its volumes and its configuration for the grace, and nothing else', async () => {
  const shop = await shopWithGrace();
  const [volume] = shop.world.volumes.values();
  shop.clock.pass(hour);
  assert.deepEqual(await shop.visit(), ['remove', 'remove', 'remove-network']);
  const kept = await shop.deployment();
  assert.deepEqual([kept.state, kept.goneAt], ['expired', null]);
  assert.equal(kept.restorableUntil, shop.clock.now + 24 * hour);
  assert.deepEqual([...shop.world.volumes.values()], [volume]);
  assert.deepEqual([shop.world.containers.size, shop.world.networks.size], [0, 0]);
  assert.notEqual(await findStoredRevision(shop.control.db, shop.control.seal, 'shop', 1), undefined);
  assert.deepEqual(await committed(shop), { memoryBytes: 0, containers: 0, volumes: 1, hasDisk: true });
  assert.deepEqual(await shop.orphans(), []);

  shop.clock.pass(24 * hour - 1);
  assert.deepEqual(await shop.visit(), [], 'until the last moment');
  shop.clock.pass(1);
  assert.deepEqual(await shop.visit(), ['remove-volume']);
  const gone = await shop.deployment();
  assert.deepEqual([gone.restorableUntil, gone.goneAt], [null, shop.clock.now]);
  assert.equal(await findStoredRevision(shop.control.db, shop.control.seal, 'shop', 1), undefined);
  assert.deepEqual(await committed(shop), nothing);
  assert.ok((await shop.events()).includes('its kept data is removed: the time to restore it is over'));
});

test('ten minutes before its time limit one is warned, once, and again of another limit', async () => {
  const shop = await shopWithGrace();
  const warnings = async () => (await shop.events()).filter((reported) => reported.startsWith('it expires soon'));
  const { expiresAt } = await shop.deployment();
  shop.clock.pass(50 * 60_000 - 1);
  await shop.visit();
  assert.deepEqual(await warnings(), []);
  shop.clock.pass(1);
  await shop.visit();
  await shop.visit();
  const warning = (at: number) => `it expires soon, at ${new Date(at).toISOString()}: extend or claim it to keep it`;
  assert.deepEqual(await warnings(), [warning(expiresAt!)]);
  await shop.control.db
    .updateTable('deployments')
    .set({ expiresAt: expiresAt! + hour })
    .execute();
  await shop.visit();
  shop.clock.pass(hour);
  await shop.visit();
  assert.deepEqual(await warnings(), [warning(expiresAt!), warning(expiresAt! + hour)]);
});

test('retained data is marked as forgotten before the first volume is removed, even if the visit is interrupted', async () => {
  const shop = await shopWithGrace();
  shop.clock.pass(hour);
  await shop.visit();
  shop.clock.pass(25 * hour);
  await assert.rejects(shop.visit((engine) => engine.interrupt({ operation: 1, when: 'before' })));
  shop.clock.pass(shop.control.settings.leaseMs);
  assert.equal((await shop.deployment()).restorableUntil, null);
  // Setting the clock back does not restore the deployment.
  shop.clock.pass(-20 * hour);
  await shop.visit();
  assert.notEqual((await shop.deployment()).goneAt, null);
  assert.equal(shop.world.volumes.size, 0);
});

test('one that is removed is kept as long as its removal says; without that its volumes go with it', async () => {
  const shop = await shopWithGrace();
  await shop.intend({ removedAt: shop.clock.now, restorableUntil: shop.clock.now + 2 * hour });
  assert.deepEqual(await shop.visit(), ['remove', 'remove', 'remove-network']);
  assert.equal(shop.world.volumes.size, 1);
  await shop.intend({ restorableUntil: null });
  assert.deepEqual(await committed(shop), nothing, 'what is about to go makes room at once');
  assert.deepEqual(await shop.visit(), ['remove-volume']);

  const other = await shopWithGrace();
  await other.intend({ removedAt: other.clock.now });
  assert.deepEqual(await other.visit(), ['remove', 'remove', 'remove-volume', 'remove-network']);
});

test('a restored one runs again on the volumes that it had', async () => {
  const shop = await shopWithGrace();
  const before = [...shop.world.volumes.values()];
  shop.clock.pass(hour);
  await shop.visit();
  const { now } = shop.clock;
  const again = { state: 'deploying', removedAt: null, restorableUntil: null, keptAt: null } as const;
  await shop.intend({ ...again, expiresAt: now + hour, progressedAt: now });
  await shop.visit();
  assert.deepEqual([(await shop.deployment()).state, ...shop.world.volumes.values()], ['running', ...before]);
});

test('a grace that was made shorter holds for what is kept already', async () => {
  const shop = await shopWithGrace();
  shop.clock.pass(hour);
  await shop.visit();
  shop.control.settings.graceMs = hour;
  await shop.visit();
  assert.equal((await shop.deployment()).restorableUntil, shop.clock.now + hour);
  shop.control.settings.graceMs = 0;
  assert.deepEqual(await shop.visit(), ['remove-volume']);
});

test('retained data is removed first when the disk is short, and cannot be restored from then on', async () => {
  const shop = await shopWithGrace();
  shop.clock.pass(hour);
  await shop.visit();
  assert.deepEqual(await limitRetained(shop.control), []);
  const short = onShortDisk(shop);
  assert.deepEqual(await limitRetained(short), [{ id: 'shop', because: 'room' }]);
  assert.equal((await shop.deployment()).restorableUntil, null);
  assert.deepEqual(await committed(shop), nothing);
  assert.deepEqual(await limitRetained(short), [], 'once');
  assert.deepEqual(await shop.visit(), ['remove-volume']);
  assert.ok((await shop.events()).includes('its kept data is removed: the disk of the host is nearly full'));
});

test('a short disk takes no more until what was forgotten is gone', async () => {
  const shop = await shopWithGrace();
  const { db } = shop.control;
  shop.clock.pass(hour);
  await shop.visit();
  const row = await db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  const leaving = { ...row, id: 'leaving', label: 'leaving', restorableUntil: null };
  await db.insertInto('deployments').values(leaving).execute();
  const short = onShortDisk(shop);
  assert.deepEqual(await limitRetained(short), []);
  await db.updateTable('deployments').set({ goneAt: shop.clock.now }).where('id', '=', 'leaving').execute();
  assert.deepEqual(await limitRetained(short), [{ id: 'shop', because: 'room' }]);
});
