import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, shopOnMemory, spec, withWeb } from '../../../test/support/controlled-deployment.ts';
import { volumeKey } from '../../engine/memory/deployment-map.ts';
import { createMemoryEngine } from '../../engine/memory/memory.ts';
import { addBuild, buildOf, recordBuildFailure } from '../../store/builds.ts';
import { failRestore, recordFilled, recordRestoreAttempt, requestRestore } from '../../store/restores.ts';
import { recordFailedSnapshotAttempt, recordTaken, requestSnapshot } from '../../store/snapshots.ts';

const taken = { placeId: 'kept', volumes: [], totalBytes: 1, addedBytes: 1, pausedMs: 1 };

async function awaiting() {
  const shop = await shopOnMemory(spec, { ...images, 'nginx:2': {} });
  await shop.control.db.updateTable('deployments').set({ expiresAt: null, claimedAt: 1 }).execute();
  await shop.visit();
  const requested = { deploymentId: 'shop', revision: 1, reason: 'before-update', now: shop.clock.now } as const;
  const { id } = await requestSnapshot(shop.control.db, requested);
  await shop.update(withWeb('nginx:2'));
  return { shop, id, db: shop.control.db };
}

test('nothing is changed before the snapshot is taken, however long that lasts; then the update goes on', async () => {
  const { shop, id, db } = await awaiting();
  for (let hours = 0; hours < 3; hours++) {
    assert.deepEqual(await shop.visit(), []);
    assert.equal((await shop.deployment()).state, 'deploying');
    shop.clock.pass(3_600_000);
  }
  await recordTaken(db, id, { ...taken, takenAt: shop.clock.now });
  await shop.visit();
  const { state, servingRevision } = await shop.deployment();
  assert.deepEqual([state, servingRevision], ['running', 2]);
});

test('if the snapshot is missing, the update fails for that reason, and the previous revision serves', async () => {
  const { shop, id, db } = await awaiting();
  await recordFailedSnapshotAttempt(db, id, { tries: 4, nextTryAt: 0, problem: 'The disk is full.', isOver: true });
  await shop.visit();
  const { state, servingRevision, message, pods } = await shop.deployment();
  assert.deepEqual([state, servingRevision], ['failed', 1]);
  assert.match(message, /no snapshot could be taken before the update: The disk is full\./);
  assert.deepEqual([...new Set(pods.map(({ state }) => state))], ['ready']);
  await shop.update(withWeb('nginx:2'));
  await shop.visit();
  assert.equal((await shop.deployment()).servingRevision, 3, 'the next update does not wait for it');
});

test('a first revision whose build has failed stays failed for that reason, at every visit', async () => {
  const shop = await shopOnMemory(withWeb('./web:1'), images);
  const { db, seal, now } = shop.control;
  const revision = { deploymentId: 'shop', revision: 1 };
  await addBuild(db, seal, { ...revision, source: 's', content: 'c', place: 'p', images: [], createdAt: now() });
  assert.deepEqual(await shop.visit(), []);
  assert.equal((await shop.deployment()).state, 'deploying');
  const failure = { problem: 'npm ci has failed', hint: undefined, pods: ['web'], lastLines: ['E404'] };
  await recordBuildFailure(db, (await buildOf(db, 'shop', 1))!, failure, now());
  for (let visits = 0; visits < 3; visits++) {
    assert.deepEqual(await shop.visit(), []);
    const { state, message } = await shop.deployment();
    assert.deepEqual([state, message], ['failed', 'pod web: npm ci has failed']);
    shop.clock.pass(600_000);
  }
});

/** Fills the new volumes next to those in use. With `isLost`, they are lost again. */
async function fill({ shop, db }: Pick<Awaited<ReturnType<typeof awaiting>>, 'shop' | 'db'>, isLost = false) {
  const { id } = await requestRestore(db, { deploymentId: 'shop', snapshotId: 'old', volumes: ['db-data'], now: 1 });
  await recordRestoreAttempt(db, id, 'try');
  const { copies } = createMemoryEngine({ world: shop.world, now: shop.control.now });
  if (!isLost) await copies!.make('shop', [{ volume: 'db-data', sizeBytes: 1000 }], 'try');
  assert.ok(await recordFilled(db, id, 'try'));
}

const stateOf = async (db: Awaited<ReturnType<typeof awaiting>>['db']) =>
  (await db.selectFrom('restores').select('state').executeTakeFirstOrThrow()).state;

test('a restore that is ready to be swapped in comes before other work', async () => {
  const { shop, db } = await awaiting();
  await fill({ shop, db });
  assert.ok((await shop.visit()).includes('remove'));
  assert.equal(await stateOf(db), 'done');
});

test('a restore of one that is stopped is put in place while nothing runs', async () => {
  const { shop, db } = await awaiting();
  await db.updateTable('deployments').set({ stoppedAt: shop.clock.now }).execute();
  await fill({ shop, db });
  await shop.visit();
  assert.equal(await stateOf(db), 'done');
  assert.equal(shop.world.containers.of('shop').length, 0);
});

test('a restore whose data is gone is requested again, and not reported as done', async () => {
  const { shop, db } = await awaiting();
  await fill({ shop, db }, true);
  await shop.visit();
  assert.equal(await stateOf(db), 'asked');
});

test('only the newest try can end a restore', async () => {
  const { db } = await awaiting();
  const { id } = await requestRestore(db, { deploymentId: 'shop', snapshotId: 'old', volumes: ['db-data'], now: 1 });
  for (const key of ['first', 'second']) assert.ok(await recordRestoreAttempt(db, id, key));
  assert.equal(await recordFilled(db, id, 'first'), false);
  assert.equal(await stateOf(db), 'asked');
  assert.ok(await recordFilled(db, id, 'second'));
});

/** A deployment that was started next to `old-shop`, and waits for its data. */
async function besideOld() {
  const shop = await shopOnMemory(spec, images);
  const { db } = shop.control;
  await db.updateTable('deployments').set({ expiresAt: null, claimedAt: 1 }).execute();
  const requested = {
    deploymentId: 'shop',
    snapshotId: 'old',
    fromDeploymentId: 'old-shop',
    volumes: ['db-data'],
    now: 1,
  };
  const { id } = await requestRestore(db, requested);
  return { shop, db, id };
}

test('a deployment started from another one’s data is created when its data is complete, and contains the data', async () => {
  const { shop, db, id } = await besideOld();
  for (let hours = 0; hours < 3; hours++) {
    assert.deepEqual(await shop.visit(), []);
    assert.equal((await shop.deployment()).state, 'deploying');
    shop.clock.pass(3_600_000);
  }
  await recordRestoreAttempt(db, id, 'try');
  const { copies } = createMemoryEngine({ world: shop.world, now: shop.control.now });
  await copies!.make('old-shop', [{ volume: 'db-data', sizeBytes: 1000 }], 'try');
  shop.world.copies.values().next().value!.get('db-data')!.files.set('n', 'kept');
  assert.ok(await recordFilled(db, id, 'try'));
  assert.ok(!(await shop.visit()).includes('create-volume'));
  assert.equal((await shop.deployment()).state, 'running');
  assert.equal(shop.world.volumes.get(volumeKey('shop', 'db-data'))!.files.get('n'), 'kept');
});

test('where its data cannot be brought it has failed, and never runs without them', async () => {
  const { shop, db, id } = await besideOld();
  await failRestore(db, id, 'The snapshot is no longer kept.', 1);
  for (let visits = 0; visits < 3; visits++) {
    await shop.visit();
    const { state, message } = await shop.deployment();
    assert.equal(state, 'failed');
    assert.match(message, /the data of snapshot old could not be fetched: The snapshot is no longer kept\./);
  }
  assert.deepEqual([shop.world.volumes.size, [...shop.world.containers.of('shop')].length], [0, 0]);
});
