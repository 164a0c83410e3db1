import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as others } from 'node:timers/promises';
import { images, shopOnMemory, spec, withWeb } from '../../test/support/controlled-deployment.ts';
import { createMemoryEngine } from '../engine/memory/memory.ts';
import type { Wait } from '../lib/wait.ts';
import { heldCopies, holdCopy } from '../store/copy-holds.ts';
import { recordFilled, recordRestoreAttempt, requestRestore, restoresOf } from '../store/restores.ts';
import { requestSnapshot, snapshotsOf } from '../store/snapshots.ts';
import { failUnoffered } from './open.ts';
import { clearCopies } from './snapshot-parts.ts';

test('if snapshots are disabled, pending ones fail with an explanation, and an update that waits for one is decided', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'nginx:2': {} });
  const { db, now, log } = shop.control;
  await db.updateTable('deployments').set({ expiresAt: null, claimedAt: 1 }).execute();
  await shop.visit();
  await requestSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'before-update', now: now() });
  const requested = { deploymentId: 'shop', snapshotId: 'old', volumes: ['db-data'], now: now() };
  await requestRestore(db, requested);
  const filled = await requestRestore(db, requested);
  await recordRestoreAttempt(db, filled.id, 'try');
  await recordFilled(db, filled.id, 'try');
  await shop.update(withWeb('nginx:2'));
  const woken: string[] = [];
  const parts = { db, now, log, wake: (id: string) => void woken.push(id) };

  const { copies } = createMemoryEngine({ world: shop.world, now });
  await failUnoffered({ ...parts, copies });
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

test('copies stay that a restore will swap in, and those whose reader renews them in time', async () => {
  const { control, world, clock } = await shopOnMemory(spec, images);
  const { db, now, log } = control;
  const requested = { deploymentId: 'shop', snapshotId: 'old', volumes: ['db-data'], now: now() };
  await recordRestoreAttempt(db, (await requestRestore(db, requested)).id, 'try');
  const { copies } = createMemoryEngine({ world, now });
  const clear = () => clearCopies({ db, now, log, engine: { copies: copies! } });
  for (const key of ['try', 'left', 'read']) await copies!.make('shop', [], key);

  const rounds: (() => void)[] = [];
  const round = () => rounds.shift()!();
  const wait: Wait = (_, signal) =>
    new Promise((resolve) => {
      rounds.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  const held = await holdCopy(db, 'read', now, wait);
  for (let turn = 0; turn < 4; turn++) {
    await clear();
    assert.deepEqual((await copies!.list()).sort(), ['read', 'try']);
    clock.pass(20_000);
    round();
    await until(() => rounds.length > 0);
  }
  clock.pass(31_000);
  await clear();
  assert.deepEqual(await copies!.list(), ['try']);
  await held[Symbol.asyncDispose]();
  assert.deepEqual(await heldCopies(db, now()), new Set());
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await others();
}
