import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsAfter } from '../store/events.ts';
import { images, shopOnMemory, withWeb } from './testing.ts';

test('a pod that listens elsewhere is told at once, and fails after 10 s of nothing else', async () => {
  const shop = await shopOnMemory(withWeb('elsewhere:1'), {
    ...images,
    'elsewhere:1': { program: () => ({ ports: [81] }) },
  });
  await shop.visit();
  const events = await eventsAfter(shop.control.db, 'shop', 0, 1000);
  const toldAt = events.find(({ pod, message }) => pod === 'web' && message.includes('listens on 81, not on 80'))!.at;
  const failedAt = events.find(({ message }) => message.startsWith('failed: pod web: listens on 81, not on 80'))!.at;
  const startedAt = events.find(({ kind, pod }) => kind === 'operation' && pod === 'web')!.at;
  assert.deepEqual([toldAt - startedAt, failedAt - toldAt], [0, 10_000]);
});

test('a crash keeps its own patience: five restarts, however short they are', async () => {
  const shop = await shopOnMemory(withWeb('bad:1'), images);
  await shop.visit();
  const { message } = await shop.deployment();
  assert.match(message, /^pod web: crash loop, restarted [5-9] times, exited with code 3/);
});
