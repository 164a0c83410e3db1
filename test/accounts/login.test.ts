import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiWithAccounts } from './people.ts';

const second = 1000;
const minute = 60 * second;

/** A terminal that has requested a key. */
async function askingTerminal(api: Awaited<ReturnType<typeof apiWithAccounts>>, machine = 'ada@laptop') {
  const { status, body } = await api.postJson('/api/logins', { machine });
  assert.equal(status, 200, JSON.stringify(body));
  return {
    asked: body as { deviceCode: string; userCode: string; url: string; urlWithCode: string; expiresAt: string },
    path: `/api/logins/${body.userCode}`,
    /** Polls for the key after the given time. */
    async poll(afterMs = 2 * second) {
      api.clock.now += afterMs;
      return await api.postJson('/api/login-key', { deviceCode: body.deviceCode });
    },
  };
}

test('a terminal gets a key of the account that confirms its code, once', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { asked, path, poll } = await askingTerminal(api);
  assert.match(asked.userCode, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
  assert.equal(asked.url, 'http://localhost:8080/login');
  assert.equal(asked.urlWithCode, `${asked.url}?code=${asked.userCode}`);
  const waiting = await poll();
  assert.deepEqual([waiting.status, waiting.body.code], [400, 'authorization_pending']);

  const { body: shown } = await ada.get(path.toLowerCase().replace('-', ' ').replace(' ', ''));
  assert.deepEqual([shown.machine, shown.isFromYourAddress], ['ada@laptop', false]);
  assert.equal((await ada.post(path, { decision: 'approved' })).status, 200);
  const { status, body } = await poll();
  assert.equal(status, 200);
  assert.deepEqual([body.name, body.key.startsWith('berthkey_')], ['berth on ada@laptop', true]);
  const me = await api.get('/api/account', { authorization: `Bearer ${body.key}` });
  assert.equal(me.body.email, 'ada@example.com');
  assert.deepEqual(
    (await ada.get('/api/keys')).body.keys.map(({ id }: { id: string }) => id),
    [body.id],
  );
  assert.equal((await poll()).body.code, 'expired_token');
});

test('no key exists before it is fetched, and neither codes nor keys are stored or logged', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { asked, path, poll } = await askingTerminal(api);
  await ada.post(path, { decision: 'approved' });
  assert.deepEqual((await ada.get('/api/keys')).body.keys, []);
  const stored = JSON.stringify(await api.service.db.selectFrom('logins').selectAll().execute());
  const { body } = await poll();
  for (const secret of [asked.deviceCode, asked.userCode.replace('-', ''), body.key]) {
    assert.ok(!stored.includes(secret));
    assert.ok(!api.lines.join('').includes(secret));
  }
  assert.deepEqual(await api.service.db.selectFrom('logins').selectAll().execute(), []);
});

test('what is refused gets nothing, and the first decision counts', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const eve = await api.person('eve@example.com');
  const { path, poll } = await askingTerminal(api);
  assert.equal((await ada.post(path, { decision: 'denied' })).status, 200);
  const late = await eve.post(path, { decision: 'approved' });
  assert.deepEqual([late.status, late.body.code], [404, 'login_not_found']);
  assert.equal((await poll()).body.code, 'access_denied');
  assert.equal((await poll()).body.code, 'expired_token');
  assert.deepEqual((await eve.get('/api/keys')).body.keys, []);
});

test('a code is good for ten minutes, before and after it is confirmed', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const [late, fetchedLate] = [await askingTerminal(api), await askingTerminal(api)];
  await ada.post(fetchedLate.path, { decision: 'approved' });
  api.clock.now += 10 * minute;
  for (const answer of [await ada.get(late.path), await ada.post(late.path, { decision: 'approved' })])
    assert.deepEqual([answer.status, answer.body.code], [404, 'login_not_found']);
  assert.equal((await late.poll()).body.code, 'expired_token');
  assert.equal((await fetchedLate.poll()).body.code, 'expired_token');
  assert.deepEqual((await ada.get('/api/keys')).body.keys, []);
});

test('a client that polls too soon must wait five seconds longer each time, and gets nothing until then', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { path, poll } = await askingTerminal(api);
  await ada.post(path, { decision: 'approved' });
  const first = await poll(second);
  assert.deepEqual([first.status, first.body.code, first.headers['retry-after']], [400, 'slow_down', '7']);
  const again = await poll(2 * second);
  assert.deepEqual([again.body.code, again.headers['retry-after']], ['slow_down', '12']);
  assert.equal((await poll(12 * second)).status, 200);
});

test('codes cannot be tried out: looking and deciding count like signing in, and say nothing to who is not signed in', async () => {
  const api = await apiWithAccounts({}, { signInRate: { count: 5, windowMs: minute } });
  const ada = await api.person('ada@example.com');
  const { path } = await askingTerminal(api);
  assert.equal((await api.browser().get(path)).body.code, 'not_signed_in');
  assert.equal((await api.browser().post(path, { decision: 'approved' })).body.code, 'not_signed_in');
  const guesses = ['BBBB-BBBB', 'CCCC-CCCC', 'DDDD-DDDD', 'FFFF-FFFF', 'GGGG-GGGG'];
  const answers = [];
  for (const guess of guesses) answers.push((await ada.post(`/api/logins/${guess}`, { decision: 'approved' })).status);
  // Her signing up has counted already.
  assert.deepEqual(answers, [404, 404, 404, 404, 429]);
  assert.equal((await ada.get(path)).status, 429);
});

test('neither another site nor a key of the account can confirm a code', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { body } = await ada.post('/api/keys', { name: 'leaked' });
  const { path, poll } = await askingTerminal(api);
  const elsewhere = await ada.post(path, { decision: 'approved' }, { origin: 'https://evil.example' });
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [403, 'cross_site_request']);
  const byKey = await api.postJson(path, { decision: 'approved' }, { authorization: `Bearer ${body.key}` });
  assert.deepEqual([byKey.status, byKey.body.code], [401, 'not_signed_in']);
  assert.equal((await poll()).body.code, 'authorization_pending');
});

test('a machine name cannot contain invisible characters', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { path } = await askingTerminal(api, 'eve\u202e@\u001b[2Jpotpal\n');
  assert.equal((await ada.get(path)).body.machine, 'eve·@potpal·');
  assert.equal((await api.postJson('/api/logins', { machine: 'x'.repeat(81) })).status, 400);
});

test('an account with all the keys that it may have confirms nothing', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  for (let made = 0; made < 50; made++) await ada.post('/api/keys', { name: `${made}` });
  const { path, poll } = await askingTerminal(api);
  const refused = await ada.post(path, { decision: 'approved' });
  assert.deepEqual([refused.status, refused.body.code], [403, 'plan_limit_reached']);
  assert.equal((await poll()).body.code, 'authorization_pending');
});

test('of two that fetch one key at the same time one gets it', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const { asked, path } = await askingTerminal(api);
  await ada.post(path, { decision: 'approved' });
  api.clock.now += 2 * second;
  const { deviceCode } = asked;
  const answers = await Promise.all([1, 2, 3].map(() => api.postJson('/api/login-key', { deviceCode })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal((await ada.get('/api/keys')).body.keys.length, 1);
});
