import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Asked } from '../../test/support/pool-worker.ts';
import { createPool, type PoolOptions } from './worker-pool.ts';

const options: PoolOptions = {
  file: new URL('../../test/support/pool-worker.ts', import.meta.url),
  width: 1,
  budgetMs: 60_000,
  memoryMib: 64,
  idleMs: 60_000,
  max: { each: 10, all: 20 },
};

async function withPool(changed: Partial<PoolOptions>, use: (pool: ReturnType<typeof poolOf>) => Promise<void>) {
  const pool = poolOf({ ...options, ...changed });
  try {
    await use(pool);
  } finally {
    await pool.close();
  }
}

function poolOf(options: PoolOptions) {
  return createPool<Asked, string>(options);
}

const done = { kind: 'done', answer: 'done' };

test('work that takes more processor time than it may have is ended, and the next one is done', async () => {
  await withPool({ budgetMs: 300 }, async (pool) => {
    const [endless, easy] = await Promise.all([pool.run('a', 'endless'), pool.run('b', 'easy')]);
    assert.deepEqual(endless, { kind: 'costly' });
    assert.deepEqual(easy, done);
  });
});

test('work that takes more memory than it may have is ended, and the next one is done', async () => {
  await withPool({}, async (pool) => {
    assert.deepEqual(await pool.run('a', 'greedy'), { kind: 'costly' });
    assert.deepEqual(await pool.run('a', 'easy'), done);
  });
});

test('a fault in the work is returned to the caller, and the thread continues', async () => {
  await withPool({}, async (pool) => {
    await assert.rejects(pool.run('a', 'broken'), { name: 'TypeError', message: 'a fault of ours' });
    assert.deepEqual(await pool.run('a', 'easy'), done);
  });
});

test('a client that sends much is refused before others', async () => {
  await withPool({ max: { each: 1, all: 4 } }, async (pool) => {
    const ends = [pool.run('a', 'endless'), pool.run('a', 'easy')].map((run) => run.catch(() => 'closed'));
    assert.deepEqual(await pool.run('a', 'easy'), { kind: 'refused', because: 'client' });
    ends.push(...[pool.run('b', 'easy'), pool.run('c', 'easy')].map((run) => run.catch(() => 'closed')));
    assert.deepEqual(await pool.run('d', 'easy'), { kind: 'refused', because: 'all' });
    await pool.close();
    assert.deepEqual(await Promise.all(ends), ['closed', 'closed', 'closed', 'closed']);
  });
});

test('one who has endless work waiting holds one thread of several', async () => {
  await withPool({ width: 2 }, async (pool) => {
    const endless = [pool.run('a', 'endless'), pool.run('a', 'endless')].map((run) => run.catch(() => 'closed'));
    assert.deepEqual(await pool.run('b', 'easy'), done);
    await pool.close();
    assert.deepEqual(await Promise.all(endless), ['closed', 'closed']);
  });
});

test('a thread without work ends, and another is started for the next', async () => {
  await withPool({ idleMs: 1 }, async (pool) => {
    const first = await pool.run('a', 'thread');
    while (isDeepStrictEqual(await pool.run('a', 'thread'), first)) await delay(5);
  });
});

test('a closed pool takes nothing more', async () => {
  const pool = poolOf(options);
  await pool.close();
  await assert.rejects(pool.run('a', 'easy'), /closed/);
});
