import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { type ApiWithAccounts, apiWithAccounts } from './people.ts';
import { client, startProvider } from './provider.ts';

const provider = await startProvider('http://localhost:8080/api/auth/callback/oidc');
after(() => provider.close());
const oidc = { ...client, issuer: provider.issuer, name: 'Our login' };

type Browser = ReturnType<ApiWithAccounts['browser']>;

/** Goes to the provider and comes back; returns where the browser is sent at the end. */
async function signInWithProvider(browser: Browser, name: string): Promise<string> {
  const { status, body } = await browser.post('/api/auth/sign-in/social', {
    provider: 'oidc',
    callbackURL: '/claim/x',
  });
  assert.equal(status, 200, JSON.stringify(body));
  const back = await provider.logIn(body.url, name);
  return String((await browser.get(`${back.pathname}${back.search}`)).headers.location);
}

test('people sign up and in with an OpenID provider, and have one account however often they come', async () => {
  const api = await apiWithAccounts({ oidc });
  assert.deepEqual((await api.get('/api/sign-in-methods')).body.providers, [{ id: 'oidc', name: 'Our login' }]);
  const ada = api.browser();
  assert.equal(await signInWithProvider(ada, 'ada'), '/claim/x');
  const { body: first } = await ada.get('/api/account');
  assert.deepEqual([first.email, first.isEmailVerified, first.name], ['ada@example.com', true, 'ada']);
  const phone = api.browser();
  await signInWithProvider(phone, 'ada');
  assert.equal((await phone.get('/api/account')).body.id, first.id);
});

test('what comes back from the provider is of use in the browser that went there only', async () => {
  const api = await apiWithAccounts({ oidc });
  const { body } = await api.browser().post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/' });
  const back = await provider.logIn(body.url, 'mallory');
  const victim = api.browser();
  await victim.get(`${back.pathname}${back.search}`);
  assert.equal((await victim.get('/api/account')).status, 401);
});

test('an unverified address does not give its account to a user who has verified it at a provider', async () => {
  const api = await apiWithAccounts({ oidc });
  const squatter = await api.person('bob@example.com');
  const bob = api.browser();
  assert.match(await signInWithProvider(bob, 'bob'), /error=/);
  assert.equal((await bob.get('/api/account')).status, 401);
  assert.equal((await squatter.get('/api/account')).status, 200);
});

test('a provider that has not proven an address does not open the account that has', async () => {
  const api = await apiWithAccounts({ oidc });
  const owner = await api.person('unproven-cy@example.com');
  await api.service.db.updateTable('accounts').set({ emailVerified: 1 }).execute();
  const other = api.browser();
  assert.match(await signInWithProvider(other, 'unproven-cy'), /error=/);
  assert.equal((await other.get('/api/account')).status, 401);
  assert.equal((await owner.get('/api/account')).status, 200);
});

test('where sign-up is closed, a provider makes no account', async () => {
  const api = await apiWithAccounts({ oidc, signUp: 'closed' });
  const dot = api.browser();
  assert.match(await signInWithProvider(dot, 'dot'), /error=/);
  assert.equal((await dot.get('/api/account')).status, 401);
});

test('a provider that does not answer, or as another issuer, is not offered, and the others are', async () => {
  const elsewhere = new URL('/elsewhere', provider.issuer);
  const api = await apiWithAccounts({
    oidc: { ...oidc, issuer: elsewhere },
    github: { clientId: 'an app', clientSecret: 'its secret' },
  });
  assert.deepEqual((await api.get('/api/sign-in-methods')).body.providers, [{ id: 'github', name: 'GitHub' }]);
  const { status, body } = await api.browser().post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/' });
  assert.deepEqual([status, body.code], [404, 'provider_not_found']);
});

test('a provider that does not answer is queried again after half a minute, not at each sign-in', async () => {
  let requested = 0;
  const server = createServer((_, response) => {
    requested += 1;
    response.writeHead(503).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  const api = await apiWithAccounts({ oidc: { ...oidc, issuer } });
  for (let time = 0; time < 3; time++) await api.get('/api/sign-in-methods');
  await api.person('ada@example.com');
  assert.equal(requested, 1);
  server.close();
});

test('signing in with GitHub goes to GitHub with our app, and comes back to us', async () => {
  const api = await apiWithAccounts({ github: { clientId: 'an app', clientSecret: 'its secret' } });
  const { body } = await api.browser().post('/api/auth/sign-in/social', { provider: 'github', callbackURL: '/' });
  const url = new URL(body.url);
  assert.equal(`${url.origin}${url.pathname}`, 'https://github.com/login/oauth/authorize');
  assert.equal(url.searchParams.get('client_id'), 'an app');
  assert.equal(url.searchParams.get('redirect_uri'), 'http://localhost:8080/api/auth/callback/github');
});

test('the tokens that a provider gives us are not kept', async () => {
  const api = await apiWithAccounts({ oidc });
  await signInWithProvider(api.browser(), 'eve');
  await signInWithProvider(api.browser(), 'eve');
  const { CompiledQuery } = await import('kysely');
  const { rows } = await api.service.db.executeQuery<Record<string, string | null>>(
    CompiledQuery.raw('select "accessToken", "refreshToken", "idToken" from credentials'),
  );
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [[null, null, null]],
  );
});
