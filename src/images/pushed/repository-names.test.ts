import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRepository, namespaceOf, readReference } from './repository-names.ts';

test('a namespace is always the same for its owner, and says nothing of its id', () => {
  const sessionId = '6f1d1a52-0000-4000-8000-000000000000';
  const name = namespaceOf({ kind: 'session', sessionId });
  assert.equal(name, namespaceOf({ kind: 'session', sessionId }));
  assert.ok(!name.includes(sessionId.slice(0, 8)));
  assert.notEqual(name.slice(1), namespaceOf({ kind: 'account', accountId: sessionId }).slice(1));
});

test('a name has a namespace and the grammar of the distribution specification', () => {
  for (const name of ['s1/api', 's1/team/api', 's1/a.b_c__d-e---f']) assert.ok(isRepository(name), name);
  for (const name of ['api', 'S1/api', 's1/', '/api', 's1/a..b', 's1/a___b', 's1/.a', `s1/${'a'.repeat(255)}`])
    assert.ok(!isRepository(name), name);
});

test('a tag may begin with a letter, a digit or an underscore, and a digest is not a tag', () => {
  assert.deepEqual(readReference('_1.0-rc'), { kind: 'tag', tag: '_1.0-rc' });
  for (const text of ['', '.a', '-a', 'a b', 'sha256:abc', 'a'.repeat(129)])
    assert.equal(readReference(text), undefined);
});
