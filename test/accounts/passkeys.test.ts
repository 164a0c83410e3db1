import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthenticator } from './authenticator.ts';
import { type ApiWithAccounts, apiWithAccounts } from './people.ts';

const origin = 'http://localhost:8080';
type Browser = ReturnType<ApiWithAccounts['browser']>;

async function addPasskey(browser: Browser, authenticator = createAuthenticator(origin, 'localhost')) {
  const { body: options } = await browser.get('/api/auth/passkey/generate-register-options');
  const added = await browser.post('/api/auth/passkey/verify-registration', {
    response: authenticator.register(options),
    name: 'my phone',
  });
  return { authenticator, added };
}

async function signIn(browser: Browser, authenticator: ReturnType<typeof createAuthenticator>) {
  const { body: options } = await browser.get('/api/auth/passkey/generate-authenticate-options');
  const response = authenticator.authenticate(options);
  return { response, answer: await browser.post('/api/auth/passkey/verify-authentication', { response }) };
}

test('who is signed in adds a passkey, and signs in with it in another browser', async () => {
  const api = await apiWithAccounts();
  assert.equal((await api.get('/api/sign-in-methods')).body.passkeys, true);
  const ada = await api.person('ada@example.com');
  const { authenticator, added } = await addPasskey(ada);
  assert.equal(added.status, 200, JSON.stringify(added.body));
  const phone = api.browser();
  assert.equal((await signIn(phone, authenticator)).answer.status, 200);
  assert.equal((await phone.get('/api/account')).body.email, 'ada@example.com');

  const { body: passkeys } = await ada.get('/api/auth/passkey/list-user-passkeys');
  assert.deepEqual(
    passkeys.map(({ name }: { name: string }) => name),
    ['my phone'],
  );
  await ada.post('/api/auth/passkey/delete-passkey', { id: passkeys[0].id });
  assert.equal((await signIn(api.browser(), authenticator)).answer.status, 401);
});

test('an answer of a passkey is valid once, in the browser that requested it, and for this site only', async () => {
  const api = await apiWithAccounts();
  const { authenticator } = await addPasskey(await api.person('ada@example.com'));
  const phone = api.browser();
  const { response } = await signIn(phone, authenticator);
  const again = await phone.post('/api/auth/passkey/verify-authentication', { response });
  assert.ok(again.status >= 400, String(again.status));
  const thief = api.browser();
  await thief.get('/api/auth/passkey/generate-authenticate-options');
  assert.ok((await thief.post('/api/auth/passkey/verify-authentication', { response })).status >= 400);
  assert.equal((await thief.get('/api/account')).status, 401);

  const phished = createAuthenticator('https://evil.example', 'localhost');
  const { added } = await addPasskey(await api.person('eve@example.com'), phished);
  assert.deepEqual([added.status, added.body.code], [400, 'failed_to_verify_registration']);
});

test('a passkey cannot be added to another account, or without an account', async () => {
  const api = await apiWithAccounts();
  assert.equal((await api.browser().get('/api/auth/passkey/generate-register-options')).status, 401);
  const ada = await api.person('ada@example.com');
  const eve = await api.person('eve@example.com');
  await addPasskey(ada);
  const { body } = await ada.get('/api/auth/passkey/list-user-passkeys');
  assert.ok((await eve.post('/api/auth/passkey/delete-passkey', { id: body[0].id })).status >= 400);
  assert.equal((await ada.get('/api/auth/passkey/list-user-passkeys')).body.length, 1);
});

test('a service at an IP address has no passkeys', async () => {
  const api = await apiWithAccounts({ baseUrl: new URL('http://127.0.0.1:8080') });
  assert.equal((await api.get('/api/sign-in-methods')).body.passkeys, false);
  assert.equal((await api.get('/api/auth/passkey/generate-authenticate-options')).status, 404);
});
