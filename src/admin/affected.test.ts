import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAffected, describeAffected } from './affected.ts';

test('what a command stops is counted by deployments, owners and claims', () => {
  const affected = countAffected([
    { accountId: 'ada', isClaimed: true },
    { accountId: 'ada', isClaimed: false },
    { accountId: 'bob', isClaimed: true },
    { accountId: null, isClaimed: false },
  ]);
  assert.deepEqual(affected, { deployments: 4, accounts: 2, claimed: 2, unclaimed: 2 });
  assert.equal(describeAffected(affected), '4 deployments (2 claimed, 2 unclaimed) of 2 accounts');
});

test('a command that stops nothing says so without a list of zeros', () => {
  assert.equal(describeAffected(countAffected([])), '0 deployments');
});
