import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, shopOnMemory, spec, withWeb } from '../../test/support/controlled-deployment.ts';
import { createMemoryEngine } from '../engine/memory/memory.ts';
import { askForRestore, noteFilled, noteTry, restoresOf } from '../store/restores.ts';
import { askForSnapshot, snapshotsOf } from '../store/snapshots.ts';
import { failUnoffered } from './fail-unoffered.ts';

test('where none are taken any more, what was asked for fails in words, and an update that waits for it is decided', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'nginx:2': {} });
  const { db, now, log } = shop.control;
  await db.updateTable('deployments').set({ expiresAt: null, claimedAt: 1 }).execute();
  await shop.visit();
  await askForSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'before-update', now: now() });
  const asked = { deploymentId: 'shop', snapshotId: 'old', volumes: ['db-data'], now: now() };
  await askForRestore(db, asked);
  const filled = await askForRestore(db, asked);
  await noteTry(db, filled.id, 'try');
  await noteFilled(db, filled.id, 'try');
  await shop.update(withWeb('nginx:2'));
  const woken: string[] = [];
  const parts = { db, now, log, wake: (id: string) => void woken.push(id) };

  const { copies } = createMemoryEngine({ world: shop.world, now });
  for (const key of ['try', 'left']) await copies!.make('shop', [], key);
  await failUnoffered({ ...parts, copies });
  assert.deepEqual(await copies!.list(), ['try']);
  assert.deepEqual((await restoresOf(db, 'shop')).map(({ state }) => state).sort(), ['failed', 'filled']);
  await failUnoffered({ ...parts, copies: undefined });
  assert.deepEqual(
    [...(await restoresOf(db, 'shop')), ...(await snapshotsOf(db, 'shop'))].map(({ state, problem }) => [
      state,
      problem,
    ]),
    Array(3).fill(['failed', 'This service no longer takes snapshots.']),
  );
  assert.deepEqual(woken, ['shop', 'shop', 'shop']);
  await shop.visit();
  const { state, message } = await shop.deployment();
  assert.equal(state, 'failed');
  assert.match(message, /no snapshot could be taken before the update: This service no longer takes snapshots\./);
});
