import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMessage } from './self-check.ts';

test('the rules hold when both are refused at once, and not when one is reached or neither has answered', () => {
  assert.equal(checkMessage(['ECONNREFUSED', 'ECONNREFUSED']), undefined);
  assert.equal(checkMessage(['connected', 'ECONNREFUSED']), 'a container can reach services of this machine');
  assert.equal(checkMessage(['ECONNREFUSED', 'connected']), 'a container can reach private networks');
  assert.match(checkMessage(['ECONNREFUSED', 'silence'])!, /other rules take precedence \(ECONNREFUSED, silence\)/);
  assert.match(checkMessage(['ENETUNREACH', 'ENETUNREACH'])!, /ENETUNREACH/);
});
