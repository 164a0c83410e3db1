import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopOnMemory, spec } from '../../test/support/controlled-deployment.ts';
import { settleRestored } from './copy-to-file.ts';
import { recordFilled, recordRestoreAttempt, requestRestore, restoresOf } from './restores.ts';
import { allSnapshotsOf, deleteSnapshots, markSnapshotsForRemoval, requestSnapshot, snapshotsOf } from './snapshots.ts';

test('of those that have left, it stays known when the newest was taken, until there is a newer one', async () => {
  const { db } = (await shopOnMemory(spec, {})).control;
  const ask = async (now: number) =>
    (await requestSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'asked', now })).id;
  const ids = [await ask(1), await ask(2)];
  await markSnapshotsForRemoval(db, ids);
  await deleteSnapshots(db, ids);
  assert.deepEqual(await snapshotsOf(db, 'shop'), []);
  const known = async () => (await allSnapshotsOf(db, 'shop')).map(({ id, state }) => [id, state]);
  assert.deepEqual(await known(), [[ids[1], 'left']]);
  const [third, fourth] = [await ask(3), await ask(4)];
  await markSnapshotsForRemoval(db, [third]);
  await deleteSnapshots(db, [third]);
  assert.deepEqual(await known(), [[fourth, 'asked']]);
});

test('on another machine a restore is filled again: the filled volume has stayed on the first one', async () => {
  const { db } = (await shopOnMemory(spec, {})).control;
  const { id } = await requestRestore(db, { deploymentId: 'shop', snapshotId: 'old', volumes: ['db-data'], now: 1 });
  await recordRestoreAttempt(db, id, 'try');
  assert.ok(await recordFilled(db, id, 'try'));
  await settleRestored(db, 5);
  const [{ state, filledKey, nextTryAt }] = (await restoresOf(db, 'shop')) as [
    Awaited<ReturnType<typeof restoresOf>>[0],
  ];
  assert.deepEqual([state, filledKey, nextTryAt], ['asked', null, 5]);
});
