import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sealWith } from '../../lib/seal.ts';
import { actions, mayAct, openToken, type PushToken, printScope, readScopes, sealToken, tokenMs } from './pushers.ts';

const seal = sealWith('a key of this test, thirty-two letters');
const token: PushToken = {
  credential: { kind: 'session', hash: 'h' },
  access: [{ repository: 's1/api', actions: ['pull'] }],
};

test('a token opens for some minutes, with the key that it was sealed with, and nothing else is one', () => {
  const text = sealToken(seal, token, 1_000);
  assert.deepEqual(openToken(seal, text, 1_000), token);
  assert.deepEqual(openToken(seal, text, 1_000 + tokenMs - 1), token);
  assert.equal(openToken(seal, text, 1_000 + tokenMs), undefined);
  assert.equal(openToken(sealWith('another key of it, thirty-two letters'), text, 1_000), undefined);
  const other = (content: unknown) => Buffer.from(seal.close(JSON.stringify(content))).toString('base64url');
  for (const content of [null, 7, {}, { image: 'a:1', platform: {} }, { endsAt: 9e15, ...token }])
    assert.equal(openToken(seal, other(content), 1_000), undefined);
  assert.equal(openToken(seal, 'berth_abc', 1_000), undefined);
});

test('scopes are read as clients write them, what is printed is read again, and anything else opens nothing', () => {
  assert.deepEqual(readScopes(['repository:s1/api:pull,push repository:s1/web:*', 'registry:catalog:*']), [
    { repository: 's1/api', actions: ['pull', 'push'] },
    { repository: 's1/web', actions: ['pull', 'push', 'delete'] },
  ]);
  assert.deepEqual(readScopes(['', 'repository:a', 'repository:a:', 'repository:a:fly', 'repository:a b:pull']), []);
  assert.equal(readScopes([Array(1_000).fill('repository:a:pull').join(' ')]).length, 20);
  const any = fc
    .tuple(fc.stringMatching(/^[a-z0-9/._-]{1,40}$/), fc.subarray([...actions], { minLength: 1 }))
    .map(([repository, actions]) => ({ repository, actions }));
  fc.assert(fc.property(any, (access) => assert.deepEqual(readScopes([printScope(access)]), [access])));
  fc.assert(fc.property(fc.array(fc.string()), (scopes) => void readScopes(scopes)));
});

test('a token is for what it names, and a password for everything', () => {
  assert.ok(mayAct(token.access, 's1/api', 'pull'));
  assert.ok(!mayAct(token.access, 's1/api', 'push'));
  assert.ok(!mayAct(token.access, 's1/web', 'pull'));
  assert.ok(!mayAct([], 's1/web', 'pull'));
  assert.ok(mayAct(undefined, 's1/web', 'delete'));
});
