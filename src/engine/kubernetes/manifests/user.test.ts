import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFault } from '../../engine.ts';
import { userOf } from './workload.ts';

test('a user is a number on a cluster, and any other name is refused', () => {
  assert.deepEqual(userOf({ pod: 'web', user: 'root:50' }), { runAsUser: 0, runAsGroup: 50 });
  assert.deepEqual(userOf({ pod: 'web' }), {});
  assert.throws(
    () => userOf({ pod: 'web', user: 'node' }),
    (error) =>
      error instanceof EngineFault && error.kind === 'bad-request' && /node is not a number/.test(error.message),
  );
});
