import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { startMailServer } from './mail-server.ts';
import { apiWithAccounts, password } from './people.ts';

const server = await startMailServer({ user: 'berth', password: 'secret' });
after(() => server.close());
const mail = { smtpUrl: server.url, mailFrom: 'Berth <berth@example.com>' };
const pathOf = ({ pathname, search }: URL) => `${pathname}${search}`;

test('where mails are sent, an account is of use once its address is verified by the link of a mail', async () => {
  const api = await apiWithAccounts({ mail });
  assert.equal((await api.get('/api/sign-in-methods')).body.sendsMail, true);
  const ada = api.browser();
  const signUp = { name: 'ada', email: 'ada@example.com', password, callbackURL: '/claim/claim_x' };
  assert.equal((await ada.post('/api/auth/sign-up/email', signUp)).status, 200);
  assert.equal((await ada.get('/api/account')).status, 401);
  const early = await ada.signIn('ada@example.com');
  assert.deepEqual([early.status, early.body.code], [403, 'email_not_verified']);

  const link = await server.linkTo('ada@example.com');
  assert.equal(link.origin, 'http://localhost:8080');
  const forged = new URL(link);
  forged.searchParams.set('token', `${link.searchParams.get('token')}x`);
  assert.match(String((await ada.get(pathOf(forged))).headers.location), /error=/i);
  assert.equal((await ada.get('/api/account')).status, 401);

  const opened = await ada.get(pathOf(link));
  assert.equal(opened.headers.location, '/claim/claim_x');
  assert.equal((await ada.signIn('ada@example.com')).status, 200);
  const { body } = await ada.get('/api/account');
  assert.deepEqual([body.email, body.isEmailVerified], ['ada@example.com', true]);
});

test('a link that leads back to the dashboard brings the page what it needs to ask whether it has verified anything', async () => {
  const api = await apiWithAccounts({ mail });
  const fay = api.browser();
  const signUp = { name: 'fay', email: 'fay@example.com', password, callbackURL: '/verify-email' };
  await fay.post('/api/auth/sign-up/email', signUp);
  const link = await server.linkTo('fay@example.com');
  const token = link.searchParams.get('token')!;
  const opened = await fay.get(pathOf(link));
  assert.equal(opened.headers.location, `/verify-email?token=${token}`);
  const check = (given: string) => api.browser().get(`/api/auth/verify-email?token=${given}`);
  assert.deepEqual([(await check(token)).status, (await check(`${token}x`)).status], [200, 401]);
});

test('a link never leads to another site', async () => {
  const api = await apiWithAccounts({ mail });
  const signUp = { name: 'eve', email: 'eve@example.com', password, callbackURL: 'https://evil.example/' };
  assert.equal((await api.browser().post('/api/auth/sign-up/email', signUp)).status, 403);
  await api.browser().signUp('eve@example.com');
  const link = await server.linkTo('eve@example.com');
  link.searchParams.set('callbackURL', 'https://evil.example/');
  assert.equal((await api.browser().get(pathOf(link))).status, 403);
});

test('a forgotten password is reset by the link of a mail, once, and all browsers are signed out', async () => {
  const api = await apiWithAccounts({ mail });
  const bob = api.browser();
  await bob.signUp('bob@example.com');
  await bob.get(pathOf(await server.linkTo('bob@example.com')));
  await bob.signIn('bob@example.com');
  assert.equal((await bob.get('/api/account')).status, 200);

  const ask = (email: string) =>
    api.browser().post('/api/auth/request-password-reset', { email, redirectTo: '/reset' });
  const [known, unknown] = [await ask('bob@example.com'), await ask('missing@example.com')];
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
  const link = await server.linkTo('bob@example.com');
  const opened = await api.browser().get(pathOf(link));
  const token = new URL(String(opened.headers.location), link).searchParams.get('token');

  const reset = (newPassword: string) => api.browser().post('/api/auth/reset-password', { token, newPassword });
  assert.equal((await reset('another horse battery')).status, 200);
  assert.equal((await reset('a third horse battery')).status, 400);
  assert.equal((await bob.get('/api/account')).status, 401);
  assert.equal((await api.browser().signIn('bob@example.com')).status, 401);
  assert.equal((await api.browser().signIn('bob@example.com', 'another horse battery')).status, 200);
  assert.ok(!server.mails.some(({ to }) => to.includes('missing@example.com')));
});

test('an address with an account gets the same answer as a new one, and its owner learns of the attempt', async () => {
  const api = await apiWithAccounts({ mail });
  const signUp = (email: string) => api.browser().post('/api/auth/sign-up/email', { name: 'x', email, password });
  const known = 'known@example.com';
  await signUp(known);
  await server.linkTo(known);
  const [again, fresh] = [await signUp(known), await signUp('fresh@example.com')];
  assert.equal(again.status, fresh.status);
  assert.deepEqual(Object.keys(again.body.user).sort(), Object.keys(fresh.body.user).sort());
  assert.equal((await server.linkTo(known)).href, 'http://localhost:8080/');
});

test('a link of a mail is not in the database as it was sent', async () => {
  const api = await apiWithAccounts({ mail });
  const cy = api.browser();
  await cy.signUp('cy@example.com');
  await cy.get(pathOf(await server.linkTo('cy@example.com')));
  await api.browser().post('/api/auth/request-password-reset', { email: 'cy@example.com', redirectTo: '/reset' });
  const link = await server.linkTo('cy@example.com');
  const { CompiledQuery } = await import('kysely');
  const { rows } = await api.service.db.executeQuery(CompiledQuery.raw('select * from verifications'));
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(link.pathname.split('/').at(-1)!));
  assert.ok(!api.lines.join('').includes(link.pathname.split('/').at(-1)!));
});

test('a mail server that refuses us loses the mail, not the sign-up, and the log says so without the password', async () => {
  const smtpUrl = new URL(server.url);
  smtpUrl.password = 'not-the-password';
  const api = await apiWithAccounts({ mail: { ...mail, smtpUrl } });
  assert.equal((await api.browser().signUp('dot@example.com')).status, 200);
  await until('the log has it', async () => api.lines.join('').includes('mail could not be sent'));
  assert.ok(!api.lines.join('').includes('not-the-password'));
});

test('a password for the mail server is not sent in the clear to another machine', async () => {
  const smtpUrl = new URL(server.url);
  // It leads to this machine, and is not known to.
  smtpUrl.hostname = '0.0.0.0';
  const api = await apiWithAccounts({ mail: { ...mail, smtpUrl } });
  await api.browser().signUp('dan@example.com');
  await until('the log has it', async () => api.lines.join('').includes('mail could not be sent'));
  assert.match(api.lines.join(''), /"reason":"ETLS"/);
  assert.ok(!server.mails.some(({ to }) => to.includes('dan@example.com')));
});

test('an address gets at most five mails an hour, requested by any client', async () => {
  const api = await apiWithAccounts({ mail });
  await api.browser().signUp('eva@example.com');
  const ask = () => api.browser().post('/api/auth/send-verification-email', { email: 'eva@example.com' });
  for (let time = 0; time < 6; time++) assert.equal((await ask()).status, 200);
  for (let mail = 0; mail < 5; mail++) await server.linkTo('eva@example.com');
  await until('the log has it', async () => api.lines.join('').includes('hourly mail limit'));
  assert.ok(!server.mails.some(({ to }) => to.includes('eva@example.com')));
});

test('without a mail server sign-up does not wait for a mail', async () => {
  const api = await apiWithAccounts();
  assert.equal((await api.get('/api/sign-in-methods')).body.sendsMail, false);
  const ada = await api.person('ada@example.com');
  const { status } = await ada.post('/api/auth/request-password-reset', { email: 'ada@example.com', redirectTo: '/x' });
  assert.equal(status, 400);
});
