import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';

/** An API whose account library returns this response to everything below /api/auth. */
async function answering(answer: () => Response) {
  const methods = { password: true, passkeys: false, providers: [], sendsMail: false, signUp: true };
  return await testApi({}, () => ({
    methods: async () => methods,
    answer: async () => answer(),
    signedIn: async () => undefined,
  }));
}

test('an error of the sign-in library gets the fields of every error', async () => {
  const refusal = { code: 'PASSWORD_TOO_SHORT', message: 'Password too short' };
  const api = await answering(() => Response.json(refusal, { status: 400 }));
  const { status, body } = await api.postJson('/api/auth/sign-up/email', {});
  assert.equal(status, 400);
  assert.deepEqual(body, { error: 'Password too short', code: 'password_too_short', message: 'Password too short' });
  const words = '[body.email] Invalid input: expected string, received undefined';
  const invalid = await answering(() => Response.json({ code: 'VALIDATION_ERROR', message: words }, { status: 400 }));
  const answer = await invalid.postJson('/api/auth/sign-in/email', {});
  assert.equal(answer.body.error, 'email in the body is missing or malformed.');
  const bare = await answering(() => new Response(null, { status: 404 }));
  assert.equal((await bare.postJson('/api/auth/sign-out', {})).body.code, 'invalid_request');
});

test('a fault of the library is only logged', async () => {
  const api = await answering(() => Response.json({ code: 'X', message: 'a table is missing' }, { status: 500 }));
  const { status, body } = await api.postJson('/api/auth/sign-out', {});
  assert.deepEqual([status, body.code], [500, 'internal']);
  assert.ok(!JSON.stringify(body).includes('a table is missing'));
  assert.match(api.lines.join(''), /the sign-in library has answered 500/);
});

test('a redirection keeps its address and all its cookies, and leaves no referrer', async () => {
  const headers = new Headers({ location: '/claim/x', 'content-type': 'application/json' });
  for (const name of ['a', 'b']) headers.append('set-cookie', `${name}=1; HttpOnly`);
  const api = await answering(() => new Response(null, { status: 302, headers }));
  const answer = await api.get('/api/auth/verify-email?token=x');
  assert.deepEqual([answer.status, answer.headers.location], [302, '/claim/x']);
  assert.deepEqual(answer.headers['set-cookie'], ['a=1; HttpOnly', 'b=1; HttpOnly']);
  assert.equal(answer.headers['referrer-policy'], 'no-referrer');
  assert.equal(answer.headers['content-type'], undefined);
});
