import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsFor } from './self-check.ts';

test('the rules hold when both are refused at once, and not when one is reached or neither has answered', () => {
  assert.equal(wordsFor(['ECONNREFUSED', 'ECONNREFUSED']), undefined);
  assert.equal(wordsFor(['connected', 'ECONNREFUSED']), 'a container can reach services of this machine');
  assert.equal(wordsFor(['ECONNREFUSED', 'connected']), 'a container can reach private networks');
  assert.match(wordsFor(['ECONNREFUSED', 'silence'])!, /other rules take precedence \(ECONNREFUSED, silence\)/);
  assert.match(wordsFor(['ENETUNREACH', 'ENETUNREACH'])!, /ENETUNREACH/);
});
