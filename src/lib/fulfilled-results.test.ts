import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fulfilledResults } from './fulfilled-results.ts';

test('what fails takes nothing from what came, and is a fault where nothing came', async () => {
  const failed = (message: string) => Promise.reject(new Error(message));
  assert.deepEqual(await fulfilledResults([]), []);
  assert.deepEqual(await fulfilledResults([Promise.resolve(1), failed('a'), Promise.resolve(2)]), [1, 2]);
  await assert.rejects(fulfilledResults([failed('a'), failed('b')]), { message: 'a' });
});
