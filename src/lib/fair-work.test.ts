import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createFairWorker } from './fair-work.ts';

/** Tasks are `client/number`; each ends when the test says so. */
function world(tasks: string[], limits = { most: 4, maxOfClient: 2 }) {
  const begun: string[] = [];
  const ends = new Map<string, (fault?: Error) => void>();
  const worker = createFairWorker<string>({
    ...limits,
    due: async () => [...tasks],
    keyOf: (task) => task,
    clientOf: (task) => task.split('/')[0]!,
    work: (task) =>
      new Promise((resolve, reject) => {
        begun.push(task);
        ends.set(task, (fault) => {
          tasks.splice(tasks.indexOf(task), 1);
          if (fault) reject(fault);
          else resolve();
        });
      }),
  });
  const end = async (task: string, fault?: Error) => {
    ends.get(task)!(fault);
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  return { begun, end, worker };
}

const settled = async () => {
  for (let turns = 0; turns < 5; turns++) await turn();
};

test('a client has no more under way than its share, and the next begins as one ends', async () => {
  const { begun, end, worker } = world(['a/1', 'a/2', 'a/3', 'b/1']);
  const run = worker.run();
  await settled();
  assert.deepEqual(begun, ['a/1', 'b/1', 'a/2']);
  await end('a/2');
  assert.deepEqual(begun.slice(3), ['a/3']);
  for (const task of ['a/1', 'a/3', 'b/1']) await end(task);
  await run;
});

test('a client that comes while all places are taken has the next one', async () => {
  const tasks = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3'];
  const { begun, end, worker } = world(tasks);
  const run = worker.run();
  await settled();
  assert.equal(begun.length, 4);
  tasks.push('victim/1');
  await end('a/1');
  assert.equal(begun[4], 'victim/1');
  for (const task of ['a/2', 'b/1', 'b/2', 'victim/1', 'a/3', 'b/3']) await end(task);
  await run;
});

test('what becomes due during a run is begun without waiting for the slowest', async () => {
  const tasks = ['slow/1'];
  const { begun, end, worker } = world(tasks);
  const run = worker.run();
  await settled();
  tasks.push('b/1');
  worker.lookAgain();
  await settled();
  assert.deepEqual(begun, ['slow/1', 'b/1']);
  await end('b/1');
  await end('slow/1');
  await run;
});

test('a task that fails ends alone, and its fault is thrown when all have ended', async () => {
  const { begun, end, worker } = world(['a/1', 'b/1']);
  const run = assert.rejects(worker.run(), /its server is away/);
  await settled();
  await end('a/1', new Error('its server is away'));
  assert.deepEqual(begun, ['a/1', 'b/1']);
  await end('b/1');
  await run;
});
