import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue } from './fair-queue.ts';

function queueOf(...entries: string[]) {
  const queue = createFairQueue<string>({ max: 10 });
  for (const entry of entries) queue.put(entry[0]!, entry);
  return queue;
}

/** Returns all entries in the order in which they are taken. Each is done before the next is taken. */
function inOrder(queue: ReturnType<typeof queueOf>): string {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) {
    taken.push(next.entry);
    queue.done(next.client);
  }
  return taken.join(' ');
}

test('clients take turns, each in the order of its own entries', () => {
  assert.equal(inOrder(queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'b2')), 'a1 b1 c1 a2 b2 a3');
});

test('a late client waits for only one entry of a client with many', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'a4');
  assert.equal(queue.take()?.entry, 'a1');
  queue.put('b', 'b1');
  queue.done('a');
  assert.equal(inOrder(queue), 'a2 b1 a3 a4');
});

test('nothing more of a client is taken before what was taken is done', () => {
  const queue = queueOf('a1', 'a2', 'b1');
  assert.equal(queue.take()?.entry, 'a1');
  assert.equal(queue.take()?.entry, 'b1');
  assert.equal(queue.take(), undefined);
  queue.done('a');
  assert.equal(queue.take()?.entry, 'a2');
});

test('with two at once, each client has two entries taken, however the clients alternate', () => {
  const queue = createFairQueue<string>({ max: 10, atOnce: 2 });
  for (const entry of ['a1', 'b1', 'a2', 'b2', 'a3']) queue.put(entry[0]!, entry);
  assert.deepEqual(
    Array.from({ length: 5 }, () => queue.take()?.entry),
    ['a1', 'b1', 'a2', 'b2', undefined],
  );
  queue.done('a');
  assert.equal(queue.take()?.entry, 'a3');
});

test('only a client whose queue is full is refused', () => {
  const queue = createFairQueue<string>({ max: 2 });
  assert.deepEqual(
    ['a1', 'a2', 'a3', 'b1'].map((entry) => queue.put(entry[0]!, entry)),
    [true, true, false, true],
  );
});

test('what waits can be taken back, all at once', () => {
  const queue = queueOf('a1', 'b1', 'a2');
  assert.deepEqual(queue.clear(), ['a1', 'a2', 'b1']);
  assert.equal(queue.take(), undefined);
});
