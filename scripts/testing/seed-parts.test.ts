import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOf } from './seed-parts.ts';

test('every seed is in one part, and no part is longer than it may be', () => {
  assert.deepEqual(partsOf({ from: 1, seeds: 450, most: 200 }), [
    { from: 1, seeds: 200 },
    { from: 201, seeds: 200 },
    { from: 401, seeds: 50 },
  ]);
  assert.deepEqual(partsOf({ from: 7, seeds: 1, most: 200 }), [{ from: 7, seeds: 1 }]);
});
