import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml } from '../../../../test/support/api.ts';
import type { PoolOptions } from '../../../lib/worker-pool.ts';
import { createReader, resultOf } from './reader.ts';

/** The answer if every document is read in a thread. */
async function answer(changed: Partial<PoolOptions>) {
  const reader = createReader({ ...changed, longestHere: 0 });
  try {
    return await reader.read('a client', 'parse', { text: shopYaml });
  } finally {
    await reader.close();
  }
}

async function problemOf(changed: Partial<PoolOptions>) {
  const read = await answer(changed);
  assert.ok(!read.ok);
  return read.problem;
}

test('a document that takes too much is refused as one that cannot be read', () => {
  const read = resultOf({ kind: 'costly' });
  assert.ok(!read.ok);
  assert.equal(read.problem.code, 'unparsable_yaml');
  assert.match(read.problem.errors![0]!, /^1:1 the document takes too much processor time or memory to read/);
});

test('a client with too many documents waiting must slow down', async () => {
  const { code, retryAfterSeconds } = await problemOf({ max: { each: 0, all: 10 } });
  assert.deepEqual([code, retryAfterSeconds], ['rate_limited', 1]);
});

test('with too many documents of all clients waiting, every client must retry later', async () => {
  const { code, retryAfterSeconds } = await problemOf({ max: { each: 10, all: 0 } });
  assert.deepEqual([code, retryAfterSeconds], ['capacity_exhausted', 5]);
});

test('any other document is read', async () => {
  const read = await answer({});
  assert.equal(read.ok && read.value.kind, 'valid');
});
