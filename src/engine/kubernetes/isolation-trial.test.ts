import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentLabels } from '../labels.ts';
import { isolationTrialId } from '../trial-ids.ts';
import { isBeingTried } from './owned.ts';

const began = Date.parse('2026-01-01T00:00:00Z');
const namespaceOf = (deploymentId: string) => ({
  name: `berth-${deploymentId}`,
  uid: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: deploymentLabels('me', deploymentId),
});

test('what another process tries the isolation with is left alone while it can still be at it, and an orphan later', () => {
  const trial = namespaceOf(isolationTrialId('abcdefghij'));
  assert.equal(isBeingTried(trial, began + 6 * 60_000), true);
  assert.equal(isBeingTried(trial, began + 10 * 60_000), false);
  assert.equal(isBeingTried(namespaceOf('abcdefghij'), began), false, 'no deployment has such a name');
});
