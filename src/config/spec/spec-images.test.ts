import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginFor } from './spec.ts';

test('a login is used for its own registry and for no other', () => {
  const login = (registry: string) => ({ registry, username: 'u', personalAccessToken: 't' });
  assert.ok(loginFor('ghcr.io/me/app:1', login('ghcr.io')));
  assert.ok(loginFor('ghcr.io/me/app:1', login('https://ghcr.io/v2/')));
  assert.ok(loginFor('me/app:1', login('https://index.docker.io/v1/')));
  assert.equal(loginFor('nginx:1', login('ghcr.io')), undefined);
  assert.equal(loginFor('ghcr.io.evil.example/app:1', login('ghcr.io')), undefined);
  assert.equal(loginFor('ghcr.io/me/app:1', undefined), undefined);
});
