import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readChallenge, readToken } from './registry-client.ts';

test('where tokens are given is read from what registries answer', () => {
  const realm = 'https://auth.docker.io/token';
  const bearer = `Bearer realm="${realm}",service="registry.docker.io",scope="repository:a/b:pull"`;
  assert.deepEqual(readChallenge(bearer), { kind: 'bearer', realm, service: 'registry.docker.io' });
  assert.deepEqual(readChallenge(`bearer realm=${realm}`), { kind: 'bearer', realm, service: undefined });
  assert.deepEqual(readChallenge(`Basic realm="x", Bearer realm="${realm}"`), {
    kind: 'bearer',
    realm,
    service: undefined,
  });
  assert.deepEqual(readChallenge('Basic realm="Registry"'), { kind: 'basic' });
});

test('anything else is not a challenge, and never an exception', () => {
  for (const header of [
    undefined,
    '',
    'Digest realm="x"',
    'Bearer',
    'Bearer service="x"',
    `Bearer realm="${'x'.repeat(9999)}"`,
  ])
    assert.equal(readChallenge(header), undefined, header ?? 'none');
  fc.assert(fc.property(fc.string(), (text) => void readChallenge(`Bearer ${text}`)));
});

test('a token is what can stand in a header, and nothing else', () => {
  assert.equal(readToken('{"token":"a.b-c"}'), 'a.b-c');
  assert.equal(readToken('{"access_token":"a"}'), 'a');
  for (const body of [
    '',
    '{}',
    '[]',
    'null',
    '{"token":1}',
    '{"token":"a b"}',
    '{"token":"a\\r\\nx: y"}',
    '{"token":"é"}',
  ])
    assert.equal(readToken(body), undefined, body);
});
