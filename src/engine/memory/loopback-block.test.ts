import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimLoopbackBlock } from './open.ts';

test('two services in memory have no address in common, and one that has closed leaves its block to the next', async () => {
  await using first = await claimLoopbackBlock();
  const second = await claimLoopbackBlock();
  assert.notDeepEqual(second.firstNetwork, first.firstNetwork);
  assert.ok(Math.abs(second.firstNetwork[1] - first.firstNetwork[1]) >= 8);
  await second[Symbol.asyncDispose]();
  await using third = await claimLoopbackBlock();
  assert.notDeepEqual(third.firstNetwork, first.firstNetwork);
});
