import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signInSecret } from '../../src/accounts/sign-in-secret.ts';
import { deleteOldSignIns } from '../../src/store/sign-ins.ts';
import { apiWithAccounts, password } from './people.ts';

test('sign-up also signs in, and the account shows its plan and usage', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { status, body } = await ada.get('/api/account');
  assert.equal(status, 200);
  const { id, ...account } = body;
  assert.ok(id);
  assert.deepEqual(account, {
    name: 'ada',
    email: 'ada@example.com',
    isEmailVerified: false,
    hasPassword: true,
    tier: { name: 'free', deployments: 3, memory: 2 ** 30, reservations: false, lifetimeMinutes: null },
    usage: { deployments: 0, memory: 0 },
  });
});

test('a caller is not signed in without a cookie, with an altered one, or after signing out', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const stranger = await api.browser().get('/api/account');
  assert.deepEqual([stranger.status, stranger.body.code], [401, 'not_signed_in']);

  const [name, value] = [...ada.cookies][0]!;
  const forger = api.browser();
  forger.cookies.set(
    name,
    value.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
  );
  assert.equal((await forger.get('/api/account')).status, 401);

  const thief = api.browser();
  thief.cookies.set(name, value);
  assert.equal((await thief.get('/api/account')).status, 200);
  assert.equal((await ada.post('/api/auth/sign-out')).status, 200);
  assert.equal((await ada.get('/api/account')).status, 401);
  // The sign-in has ended at the server too, not in one browser only.
  assert.equal((await thief.get('/api/account')).status, 401);
});

test('the data of a sign-in in the database cannot be used to sign in, not even with the key', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const [name, value] = [...ada.cookies][0]!;
  const [token] = decodeURIComponent(value).split('.') as [string];
  const rows = await api.service.db.selectFrom('signIns').selectAll().execute();
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(token));
  const { token: stored } = rows[0] as unknown as { token: string };
  assert.match(stored, /^[0-9a-f]{64}$/);

  // An attacker with a copy of the database and the key signs a cookie with its contents.
  const { seal } = api.service;
  const sign = (text: string) => createHmac('sha256', signInSecret(seal)).update(text).digest('base64');
  const signed = (text: string) => encodeURIComponent(`${text}.${sign(text)}`);
  assert.equal(signed(token), value, 'the way in which the library signs');
  const thief = api.browser();
  thief.cookies.set(name, signed(stored));
  assert.equal((await thief.get('/api/account')).status, 401);
  assert.equal((await ada.get('/api/account')).status, 200);
});

test('signing out all other browsers keeps this one and other users signed in', async () => {
  const api = await apiWithAccounts();
  const [ada, eve] = [await api.person('ada@example.com'), await api.person('eve@example.com')];
  const phone = api.browser();
  assert.equal((await phone.signIn('ada@example.com')).status, 200);
  assert.equal((await ada.post('/api/auth/revoke-other-sessions')).status, 200);
  const statuses = [ada, phone, eve].map(async (browser) => (await browser.get('/api/account')).status);
  assert.deepEqual(await Promise.all(statuses), [200, 401, 200]);
});

test('a change of the name or of the password keeps the browser signed in', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const phone = api.browser();
  assert.equal((await phone.signIn('ada@example.com')).status, 200);
  assert.equal((await ada.post('/api/auth/update-user', { name: 'Ada L.' })).status, 200);
  assert.equal((await ada.get('/api/account')).status, 200);
  const change = { currentPassword: password, newPassword: 'another long password', revokeOtherSessions: true };
  assert.equal((await ada.post('/api/auth/change-password', change)).status, 200);
  assert.equal((await ada.get('/api/account')).status, 200);
  assert.equal((await phone.get('/api/account')).status, 401);
});

test('the cookie is HttpOnly and SameSite=Lax, and Secure where the service is reached by https', async () => {
  const plain = await apiWithAccounts();
  const cookieOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['set-cookie']);
  const cookie = cookieOf(await plain.browser().signUp('ada@example.com'));
  assert.match(cookie, /^berth\.session_token=/);
  assert.match(cookie, /; HttpOnly/i);
  assert.match(cookie, /; SameSite=Lax/i);
  assert.match(cookie, /; Path=\//i);
  assert.doesNotMatch(cookie, /Secure|Domain/i);

  const secure = await apiWithAccounts({ baseUrl: new URL('https://berth.example.com') });
  const answer = await secure.send(
    'POST',
    '/api/auth/sign-up/email',
    JSON.stringify({ name: 'ada', email: 'ada@example.com', password }),
    { 'content-type': 'application/json', origin: 'https://berth.example.com', host: 'berth.example.com' },
  );
  assert.match(cookieOf(answer), /^__Host-berth\.session_token=.*; Secure/i);
  assert.match(cookieOf(answer), /; Path=\/;/i);
  assert.doesNotMatch(cookieOf(answer), /Domain/i);
});

test('a short password, a known address and a wrong password are refused with the fields of every error', async () => {
  const api = await apiWithAccounts();
  await api.person('ada@example.com');
  const short = await api
    .browser()
    .post('/api/auth/sign-up/email', { name: 'b', email: 'b@example.com', password: 'short' });
  assert.deepEqual([short.status, short.body.code], [400, 'password_too_short']);
  const again = await api.browser().signUp('ADA@example.com');
  assert.deepEqual([again.status, again.body.code], [422, 'user_already_exists_use_another_email']);
  const wrong = await api.browser().signIn('ada@example.com', 'another password');
  assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_email_or_password']);
  assert.equal(typeof wrong.body.error, 'string');
  // An unknown address gets the same answer as a wrong password.
  const unknown = await api.browser().signIn('nobody@example.com', 'another password');
  assert.deepEqual([unknown.status, unknown.body], [wrong.status, wrong.body]);
});

test('a name and an address have bounds, and no picture is kept', async () => {
  const api = await apiWithAccounts();
  const signUp = (fields: object) =>
    api.browser().post('/api/auth/sign-up/email', { name: 'x', email: 'x@example.com', password, ...fields });
  const longName = await signUp({ name: 'n'.repeat(101) });
  assert.deepEqual([longName.status, longName.body.code], [400, 'name_too_long']);
  const longAddress = await signUp({ email: `x@${'a.'.repeat(130)}com` });
  assert.deepEqual([longAddress.status, longAddress.body.code], [400, 'email_too_long']);
  assert.equal((await signUp({ image: 'https://evil.example/pixel' })).body.user.image, null);
});

test('what the library itself cannot do is an internal error with a reference, not its words', async () => {
  const api = await apiWithAccounts();
  await api.service.db.schema.dropTable('credentials').execute();
  const { status, body } = await api.browser().signUp('ada@example.com');
  assert.deepEqual([status, body.code], [500, 'internal']);
  assert.match(body.error, /^The service failed to answer\. Reference: \S+\.$/);
});

test('passwords are stored hashed, and neither they nor addresses nor cookies reach the log', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  await api.browser().signUp('ada@example.com');
  await api.browser().signIn('ada@example.com', 'not the password');
  const log = api.lines.join('');
  assert.match(log, /sign-in\/email/);
  assert.ok(
    ![password, 'not the password', 'ada@example.com', ...ada.cookies.values()].some((text) => log.includes(text)),
  );
  const { rows } = await api.service.db.executeQuery<{ password: string }>(
    (await import('kysely')).CompiledQuery.raw('select password from credentials'),
  );
  assert.match(rows[0]!.password, /^[0-9a-f]{32}:[0-9a-f]{128}$/);
});

test('guessing a password is limited per client address, with any headers', async () => {
  const api = await apiWithAccounts({}, { signInRate: { count: 3, windowMs: 60_000 } });
  await api.browser('192.0.2.200').signUp('ada@example.com');
  const guesser = api.browser('192.0.2.66');
  const guess = (forged: string) =>
    guesser.post(
      '/api/auth/sign-in/email',
      { email: 'ada@example.com', password: 'a guess of a password' },
      {
        'x-forwarded-for': forged,
        'x-client-ip': forged,
      },
    );
  for (const forged of ['198.51.100.1', '198.51.100.2', '198.51.100.3'])
    assert.equal((await guess(forged)).status, 401);
  const fourth = await guess('198.51.100.4');
  assert.deepEqual([fourth.status, fourth.body.code], [429, 'rate_limited']);
  assert.ok(Number(fourth.headers['retry-after']) > 0);
  assert.equal((await api.browser('192.0.2.67').signIn('ada@example.com')).status, 200);
});

test('another site can neither sign a user in nor use a cookie', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const evil = { origin: 'https://evil.example' };
  assert.equal((await ada.post('/api/auth/sign-out', {}, evil)).status, 403);
  assert.equal((await ada.post('/api/auth/sign-in/email', { email: 'a@b.example', password }, evil)).status, 403);
  assert.equal((await ada.get('/api/account')).status, 200);
  const link = await api.claimPath(await api.startShop());
  for (const headers of [
    evil,
    { origin: undefined },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const { status, body } = await ada.post(link, {}, headers);
    assert.deepEqual([status, body.code], [403, 'cross_site_request'], JSON.stringify(headers));
  }
  assert.equal((await ada.post(link)).status, 200);
});

test('what the library says of an address that a stranger has written goes to the log without tokens', async () => {
  const api = await apiWithAccounts();
  const callbackURL = `https://evil.example/?sessionToken=berth_${'x'.repeat(32)}`;
  const body = { email: 'ada@example.com', password, callbackURL };
  assert.equal((await api.browser().post('/api/auth/sign-in/email', body)).status, 403);
  assert.match(api.lines.join(''), /Invalid callbackURL: https:\/\/evil\.example\/\?sessionToken=berth_…/);
});

test('with closed sign-up, only users with an account get in', async () => {
  const api = await apiWithAccounts({ signUp: 'closed' });
  const { status, body } = await api.browser().signUp('ada@example.com');
  assert.deepEqual([status, body.code], [400, 'email_password_sign_up_disabled']);
  assert.equal((await api.get('/api/sign-in-methods')).body.signUp, false);
});

test('paths of the library that nothing uses are not there', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  for (const path of ['delete-user/callback', 'get-access-token', 'set-password', 'update-session', 'revoke-session']) {
    assert.equal((await ada.post(`/api/auth/${path}`)).status, 404, path);
  }
});

test('sign-ins, links and challenges that have expired are forgotten, and no others', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  await api.browser().get('/api/auth/passkey/generate-authenticate-options');
  const { db } = api.service;
  const count = async () => ({
    signIns: (await db.selectFrom('signIns').selectAll().execute()).length,
    verifications: (await db.selectFrom('verifications').selectAll().execute()).length,
  });
  await deleteOldSignIns(db, Date.now());
  assert.deepEqual(await count(), { signIns: 1, verifications: 1 });
  await deleteOldSignIns(db, Date.now() + 3_600_000);
  assert.deepEqual(await count(), { signIns: 1, verifications: 0 });
  assert.equal((await ada.get('/api/account')).status, 200);
  await deleteOldSignIns(db, Date.now() + 31 * 24 * 3_600_000);
  assert.deepEqual(await count(), { signIns: 0, verifications: 0 });
});
