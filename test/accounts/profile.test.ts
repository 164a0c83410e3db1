/** Changes of an account: its address, with proof, and the signed-in browsers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { startMailServer } from './mail-server.ts';
import { apiWithAccounts, password } from './people.ts';

const server = await startMailServer();
after(() => server.close());
const mail = { smtpUrl: server.url, mailFrom: 'Berth <berth@example.com>' };
const pathOf = ({ pathname, search }: URL) => `${pathname}${search}`;

type SignIn = { id: string; isThis: boolean; userAgent: string };

test('browsers that are signed in are listed, and one that is signed out opens nothing any more', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const phone = api.browser();
  const headers = { 'user-agent': 'A telephone' };
  const given = { email: 'ada@example.com', password };
  assert.equal((await phone.post('/api/auth/sign-in/email', given, headers)).status, 200);
  const listed: SignIn[] = (await ada.get('/api/sign-ins')).body.signIns;
  assert.deepEqual(
    listed.map(({ isThis, userAgent }) => [isThis, userAgent]).toSorted(),
    [
      [false, 'A telephone'],
      [true, listed.find(({ isThis }) => isThis)!.userAgent],
    ].toSorted(),
  );
  assert.doesNotMatch(JSON.stringify(listed), /token|ipAddress/);
  const { id } = listed.find(({ isThis }) => !isThis)!;
  assert.equal((await ada.delete(`/api/sign-ins/${id}`)).status, 200);
  assert.equal((await phone.get('/api/account')).status, 401);
  assert.equal((await ada.get('/api/account')).status, 200);
  assert.equal((await ada.get('/api/sign-ins')).body.signIns.length, 1);
  assert.equal((await ada.delete(`/api/sign-ins/${id}`)).body.code, 'sign_in_not_found');
});

test('another account’s sign-ins cannot be listed or ended, nor an account’s own with a key', async () => {
  const api = await apiWithAccounts();
  const [ada, eve] = [await api.person('ada@example.com'), await api.person('eve@example.com')];
  const { id } = (await ada.get('/api/sign-ins')).body.signIns[0];
  assert.equal((await eve.get('/api/sign-ins')).body.signIns.length, 1);
  assert.equal((await eve.delete(`/api/sign-ins/${id}`)).body.code, 'sign_in_not_found');
  assert.equal((await api.browser().get('/api/sign-ins')).status, 401);
  const { key } = (await ada.post('/api/keys', { name: 'CI' })).body;
  assert.equal((await api.get('/api/sign-ins', { authorization: `Bearer ${key}` })).status, 401);
  assert.equal((await ada.get('/api/account')).status, 200);
});

test('an account without mails gets another address with its password, and not without', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const newEmail = 'lovelace@example.com';
  assert.equal((await ada.get('/api/account')).body.hasPassword, true);
  const change = (given: object) => ada.post('/api/auth/change-email', { newEmail, ...given });
  assert.equal((await change({})).body.code, 'password_required');
  assert.equal((await change({ password: 'another horse battery' })).body.code, 'invalid_password');
  assert.equal((await change({ password: { $ne: '' } })).body.code, 'password_required');
  assert.equal((await ada.get('/api/account')).body.email, 'ada@example.com');
  assert.equal((await change({ password })).status, 200);
  assert.equal((await ada.get('/api/account')).body.email, newEmail);
  assert.equal((await api.browser().signIn(newEmail)).status, 200);
  assert.equal((await api.browser().signIn('ada@example.com')).status, 401);
});

test('with mail, a new address counts once its link is opened by the signed-in user, and the present one is notified', async () => {
  const api = await apiWithAccounts({ mail });
  const ada = api.browser();
  await ada.signUp('ada@example.com');
  await ada.get(pathOf(await server.linkTo('ada@example.com')));
  await ada.signIn('ada@example.com');
  const newEmail = 'lovelace@example.com';
  assert.equal((await ada.post('/api/auth/change-email', { newEmail, password })).status, 200);
  const link = await server.linkTo(newEmail);
  assert.match(pathOf(link), /^\/verify-email\?token=/);
  assert.equal((await server.linkTo('ada@example.com')).pathname, '/');
  assert.equal((await ada.get('/api/account')).body.email, 'ada@example.com');

  const confirm = `/api/auth${pathOf(link)}`;
  const stranger = api.browser();
  const refused = await stranger.get(confirm);
  assert.deepEqual([refused.status, refused.body.code], [401, 'sign_in_first']);
  assert.equal(stranger.cookies.size, 0, 'the recipient of a misdirected mail is not signed in');
  await stranger.signUp('eve@example.com');
  await stranger.get(pathOf(await server.linkTo('eve@example.com')));
  await stranger.signIn('eve@example.com');
  assert.equal((await stranger.get(confirm)).status, 401);

  assert.equal((await ada.get(confirm)).status, 200);
  const { email, isEmailVerified } = (await ada.get('/api/account')).body;
  assert.deepEqual([email, isEmailVerified], [newEmail, true]);
  assert.equal((await ada.get(confirm)).status, 401, 'it is good for one change');
});

test('the present address is notified of the next one before that gets its link, after any number of mails', async () => {
  const api = await apiWithAccounts({ mail });
  const ada = api.browser();
  await ada.signUp('ada@example.org');
  await ada.get(pathOf(await server.linkTo('ada@example.org')));
  await ada.signIn('ada@example.org');
  for (let time = 0; time < 6; time++)
    assert.equal(
      (await api.browser().post('/api/auth/request-password-reset', { email: 'ada@example.org' })).status,
      200,
    );
  const change = { newEmail: 'lovelace@example.org', password };
  assert.equal((await ada.post('/api/auth/change-email', change)).status, 200);
  await server.linkTo('lovelace@example.org');
  const reported = server.mails.filter(({ to }) => to.includes('ada@example.org')).map(({ text }) => text);
  assert.equal(reported.filter((text) => /requested a change of its address/.test(text)).length, 1);
  assert.equal(reported.filter((text) => /A new password was requested/.test(text)).length, 4, 'others are held back');
});

test('an address of another account gets the same answer as a free one, and is not taken over', async () => {
  const api = await apiWithAccounts();
  const [ada, eve] = [await api.person('ada@example.com'), await api.person('eve@example.com')];
  assert.equal((await eve.post('/api/auth/change-email', { newEmail: 'ada@example.com', password })).status, 200);
  assert.equal((await eve.get('/api/account')).body.email, 'eve@example.com');
  assert.equal((await ada.get('/api/account')).body.email, 'ada@example.com');
});

test('an account without a password gets another address only by who has just signed in', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { db } = api.service;
  await db.updateTable('credentials').set({ password: null }).execute();
  assert.equal((await ada.get('/api/account')).body.hasPassword, false);
  const signedIn = (minutesAgo: number) =>
    db
      .updateTable('signIns')
      .set({ createdAt: new Date(api.clock.now - minutesAgo * 60_000).toISOString() })
      .execute();
  const change = () => ada.post('/api/auth/change-email', { newEmail: 'lovelace@example.com' });
  await signedIn(11);
  const refused = await change();
  assert.deepEqual([refused.status, refused.body.code], [403, 'sign_in_again']);
  assert.match(refused.body.error, /sign in again/);
  assert.equal((await ada.get('/api/account')).body.email, 'ada@example.com');
  await signedIn(9);
  assert.equal((await change()).status, 200);
  assert.equal((await ada.get('/api/account')).body.email, 'lovelace@example.com');
});

test('a link that sets a password ends when the account gets another address', async () => {
  const api = await apiWithAccounts({ mail });
  const [ada, eve] = [api.browser(), api.browser()];
  const reset = async (email: string) => {
    assert.equal((await api.browser().post('/api/auth/request-password-reset', { email })).status, 200);
    return (await server.linkTo(email)).pathname.split('/').at(-1)!;
  };
  for (const [person, email] of [
    [ada, 'ada@example.net'],
    [eve, 'eve@example.net'],
  ] as const) {
    await person.signUp(email);
    await person.get(pathOf(await server.linkTo(email)));
    await person.signIn(email);
  }
  const [token, others] = [await reset('ada@example.net'), await reset('eve@example.net')];
  const newEmail = 'lovelace@example.net';
  assert.equal((await ada.post('/api/auth/change-email', { newEmail, password })).status, 200);
  assert.equal((await ada.get(`/api/auth${pathOf(await server.linkTo(newEmail))}`)).status, 200);
  assert.equal((await ada.get('/api/account')).body.email, newEmail);
  const newPassword = 'another horse battery';
  const set = (token: string) => api.browser().post('/api/auth/reset-password', { token, newPassword });
  assert.deepEqual([(await set(token)).status, (await set(others)).status], [400, 200]);
  assert.equal((await api.browser().signIn(newEmail)).status, 200);
});

test('a link that sets a password and was requested during a change of the address is invalid', async () => {
  const api = await apiWithAccounts({ mail });
  const { db } = api.service;
  const run = (text: string) => db.executeQuery(CompiledQuery.raw(text));
  const links = async () => (await run('select * from verifications')).rows.length;
  const ada = api.browser();
  await ada.signUp('ada@example.info');
  await ada.get(pathOf(await server.linkTo('ada@example.info')));
  await ada.signIn('ada@example.info');
  // A link that is created after the previous ones were ended.
  await run(`create trigger late before update of email on accounts begin
    insert into verifications (id, identifier, value, expiresAt, createdAt, updatedAt)
    values ('late', 'reset-password:late', new.id, '2099-01-01', '2026-01-01', '2026-01-01'); end`);
  const newEmail = 'lovelace@example.info';
  await ada.post('/api/auth/change-email', { newEmail, password });
  assert.equal((await ada.get(`/api/auth${pathOf(await server.linkTo(newEmail))}`)).status, 200);
  assert.equal(await links(), 0);
  // One for which the account was read before it got its next address.
  await run('drop trigger late');
  await run(`create trigger change after insert on verifications begin
    update accounts set email = 'countess@example.info' where id = new.value; end`);
  assert.equal((await api.browser().post('/api/auth/request-password-reset', { email: newEmail })).status, 200);
  assert.equal(await links(), 0);
});

test('a webhook that is saved again keeps its secret, unless the service can no longer open it', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const save = async (given: object) => (await ada.post('/api/notifications', given)).body;
  const webhook = { url: 'https://ada.example.com/hook', kinds: ['snapshot', 'failed'] };
  const { secret, ...first } = await save({ webhook });
  assert.match(secret, /^berthhook_/);
  const saved = { url: webhook.url, kinds: ['failed', 'snapshot'], failures: 0 };
  assert.deepEqual(first, { mail: ['domain', 'snapshot'], webhook: saved });
  const { db } = api.service;
  await db
    .updateTable('notificationChoices')
    .set({ webhookFailures: 5, webhookDisabledAt: 1, webhookAnswer: 'No.', webhookTriedAt: 1 })
    .execute();
  const tried = { answer: 'No.', triedAt: new Date(1).toISOString() };
  const again = { mail: ['failed'], webhook: { ...saved, ...tried } };
  assert.deepEqual(await save({ mail: ['failed'], webhook }), again);
  assert.deepEqual((await ada.get('/api/notifications')).body, again);
  await db
    .updateTable('notificationChoices')
    .set({ webhookSecret: Buffer.from('of another key') })
    .execute();
  const renewed = await save({ webhook });
  assert.match(renewed.secret, /^berthhook_/);
  assert.notEqual(renewed.secret, secret);
  assert.deepEqual(renewed.webhook, saved);
  assert.deepEqual(await save({ webhook: null }), { mail: ['failed'] });
  assert.deepEqual(await save({}), { mail: ['failed'] });
});
