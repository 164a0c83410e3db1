import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSemaphore, serializeByKey } from './concurrency.ts';

test('a semaphore runs so many at once, first come, first served, failures included', async () => {
  const gate = createSemaphore(2);
  const order: number[] = [];
  let inside = 0;
  let max = 0;
  const results = await Promise.allSettled(
    [0, 1, 2, 3, 4, 5].map((number) =>
      gate(async () => {
        order.push(number);
        max = Math.max(max, ++inside);
        await nextTurn();
        inside--;
        if (number % 2 === 0) throw new Error('failed');
      }),
    ),
  );
  assert.deepEqual([order, max], [[0, 1, 2, 3, 4, 5], 2]);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 3);
});

test('work of one key runs in sequence, and concurrently with that of another key', async () => {
  const inTurn = serializeByKey();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await nextTurn();
    order.push(`${name} ends`);
  };
  await Promise.all([inTurn('a', work('a1')), inTurn('a', work('a2')), inTurn('b', work('b1'))]);
  assert.ok(order.indexOf('a2 begins') > order.indexOf('a1 ends'));
  assert.ok(order.indexOf('b1 begins') < order.indexOf('a1 ends'));
});
