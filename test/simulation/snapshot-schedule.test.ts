/** What the schedule of snapshots takes, and what it leaves alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snapshotTermsOf } from '../../src/deployment/snapshot/snapshot.ts';
import { createMemoryEngine } from '../../src/engine/memory/memory.ts';
import { createSnapshotWorker } from '../../src/snapshots/worker.ts';
import { snapshotsOf } from '../../src/store/snapshots.ts';
import { shopOnMemory } from '../support/controlled-deployment.ts';
import { pod, specOf } from '../support/deployments.ts';
import { createMemoryRepository } from '../support/memory-repository.ts';

const volumes = [{ name: 'data', sizeBytes: 1000, mountPath: '/data' }];

test('what is stopped is not taken by schedule: the same again and again would push out what is kept', async () => {
  const db1 = { image: 'db:1', servicePorts: [5432], volumes };
  const shop = await shopOnMemory(specOf(pod('db', db1)), { 'db:1': { program: () => ({ ports: [5432] }) } });
  const { control, world } = shop;
  const { db, metrics, log, now } = control;
  await shop.visit();
  await db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute();
  const engine = createMemoryEngine({ world, now });
  const repository = createMemoryRepository(world, async (_, perform) => perform(), new Map());
  const look = async () => {
    const { step } = createSnapshotWorker({
      db,
      metrics,
      log,
      now,
      diskFreeBytes: 0,
      wake() {},
      stop: new AbortController().signal,
      engine: { observe: engine.observe, copies: engine.copies! },
      repository: async () => repository,
      startedPod: async () => undefined,
      termsOf: async () => ({ ...snapshotTermsOf({}, true), everyMs: 1, accountId: undefined }),
    });
    while (await step());
    return (await snapshotsOf(db, 'shop')).length;
  };
  await db.updateTable('deployments').set({ stoppedAt: now() }).execute();
  assert.equal(await look(), 0);
  await db.updateTable('deployments').set({ stoppedAt: null }).execute();
  assert.equal(await look(), 1);
});
