import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf } from '../../test/support/deployments.ts';
import { emptyStore } from '../../test/support/empty-store.ts';
import { addDeployment, deploymentById } from '../store/deployments.ts';
import { addSession } from '../store/sessions.ts';
import { createSleepers, createWaker } from './sleepers.ts';

const asleep = [{ path: '/', address: '0.0.0.0', port: 80, isAsleep: true as const }];
const awake = [{ path: '/', address: '10.0.0.2', port: 80 }];

async function sleepingShop(fields: Partial<Parameters<typeof deploymentOf>[0]> = {}) {
  const db = await emptyStore();
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  await addDeployment(db, deploymentOf({ id: 'shop', label: 'shop', sleep: 'frozen', asleepAt: 1, ...fields }));
  const sleepers = createSleepers();
  sleepers.addRoutes([{ id: 'shop', endpoints: asleep }]);
  const woken: string[] = [];
  const wake = createWaker({ db, sleepers, wake: (id) => woken.push(id), appsDomain: 'localhost', now: () => 5 });
  return { db, sleepers, woken, wake };
}

test('all requests of a host share one wake, and wait until the edge has its routes', async () => {
  const { db, sleepers, woken, wake } = await sleepingShop();
  const waiting = Array.from({ length: 50 }, () => wake('shop.localhost'));
  const first = await Promise.race([waiting[0], new Promise((resolve) => setTimeout(resolve, 50, 'waits'))]);
  assert.deepEqual([first, woken], ['waits', ['shop']]);
  const { sleep, wakeRequestedAt, activeAt } = (await deploymentById(db, 'shop'))!;
  assert.deepEqual([sleep, wakeRequestedAt, activeAt], [null, 5, 5]);
  sleepers.addRoutes([{ id: 'other', endpoints: awake }]);
  sleepers.addRoutes([{ id: 'shop', endpoints: awake }]);
  await Promise.all(waiting);
});

test('no more than 1000 requests of a host wait', async () => {
  const { sleepers, wake } = await sleepingShop();
  const waiting = Array.from({ length: 1_000 }, () => wake('shop.localhost'));
  await wake('shop.localhost');
  sleepers.replaceRoutes([]);
  await Promise.all(waiting);
});

test('a host without a deployment, or of one that neither sleeps nor wakes up, does not wait', async () => {
  const { woken, wake } = await sleepingShop({ sleep: null });
  await wake('shop.localhost');
  await wake('nothing.localhost');
  assert.deepEqual(woken, []);
});
