import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPath, signInPath } from './next.ts';

const origin = 'http://localhost:8080';

test('users return to their page after signing in', () => {
  const path = signInPath('sign-in', '/claim/claim_x');
  assert.equal(nextPath(path.slice(path.indexOf('?')), origin), '/claim/claim_x');
  assert.equal(signInPath('sign-up', undefined), '/sign-up');
});

test('users are never redirected to another site', () => {
  for (const next of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '',
    'x',
  ]) {
    const path = nextPath(`?${new URLSearchParams({ next })}`, origin);
    assert.equal(new URL(path, origin).origin, origin, next);
    assert.equal(path, '/deployments', next);
  }
  assert.equal(nextPath('', origin), '/deployments');
});
