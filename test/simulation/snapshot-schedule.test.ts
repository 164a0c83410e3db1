/** Deployments that the snapshot schedule includes and excludes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryEngine } from '../../src/engine/memory/memory.ts';
import { snapshotsOf } from '../../src/store/snapshots.ts';
import { shopOnMemory } from '../support/controlled-deployment.ts';
import { pod, specOf } from '../support/deployments.ts';
import { createMemoryRepository } from '../support/memory-repository.ts';
import { workerOn } from '../support/snapshot-worker.ts';

const volumes = [{ name: 'data', sizeBytes: 1000, mountPath: '/data' }];

test('what is stopped is not taken by schedule: the same again and again would push out what is kept', async () => {
  const db1 = { image: 'db:1', servicePorts: [5432], volumes };
  const shop = await shopOnMemory(specOf(pod('db', db1)), { 'db:1': { program: () => ({ ports: [5432] }) } });
  const { control, world } = shop;
  const { db, now } = control;
  await shop.visit();
  await db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute();
  const engine = createMemoryEngine({ world, now });
  const place = createMemoryRepository(world, async (_, perform) => perform(), new Map());
  const look = async () => {
    const { step } = workerOn(control, { engine, place, terms: { everyMs: 1 } });
    while (await step());
    return (await snapshotsOf(db, 'shop')).length;
  };
  await db.updateTable('deployments').set({ stoppedAt: now() }).execute();
  assert.equal(await look(), 0);
  await db.updateTable('deployments').set({ stoppedAt: null }).execute();
  assert.equal(await look(), 1);
});
