import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml } from '../support/api.ts';
import { type ApiWithAccounts, apiWithAccounts } from './people.ts';

const hour = 3_600_000;
const named = (name: string) => shopYaml.replace('shop', name);

async function list(api: ApiWithAccounts, sessionToken: string) {
  const { status, body } = await api.get('/getReservations', { authorization: `Bearer ${sessionToken}` });
  return { status, names: body.reservedDeployments?.map(({ applicationName }: never) => applicationName), body };
}

test('a claim attaches the deployment to the account: same address, same revision, no expiry', async () => {
  const api = await apiWithAccounts();
  const { body: started } = await api.postYaml('/startUserDeployment', shopYaml);
  const link = await api.claimPath(started.sessionToken);
  const ada = await api.person('ada@example.com');

  const { status, body: view } = await ada.get(`/api/claims/${link.split('/').at(-1)}`);
  assert.equal(status, 200);
  const { applicationName, environment, url } = started;
  assert.deepEqual(view, {
    applicationName,
    environment,
    url,
    pods: [],
    alsoAttached: [],
    isYours: false,
    expiresAt: '2026-01-01T14:00:00.000Z',
    attached: [
      {
        applicationName,
        environment,
        url,
        pods: [],
        createdAt: '2026-01-01T12:00:00.000Z',
        expiresAt: '2026-01-01T14:00:00.000Z',
      },
    ],
  });
  const before = await api.service.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();

  const { body: claimed } = await ada.post(link);
  const shop = { applicationName, environment, url };
  assert.deepEqual(claimed, { message: 'Application shop is yours.', ...shop, attached: [shop], tokenEnded: false });
  const after = await api.service.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(
    { ...after },
    { ...before, claimedAt: api.clock.now, expiresAt: null, generation: before.generation + 1 },
  );
  assert.equal(api.woken.at(-1), before.id);
  api.clock.now += 1000 * hour;
  const { body } = await list(api, started.sessionToken);
  assert.equal(body.reservedDeployments[0].expiresAt, undefined);
  assert.equal((await ada.get('/api/account')).body.usage.deployments, 1);
});

test('the whole session is the account’s from then on, and its token keeps working for that session only', async () => {
  const api = await apiWithAccounts();
  const token = await api.startShop();
  await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named('blog'));
  const other = await api.startShop();
  const ada = await api.person('ada@example.com');
  const link = await api.claimPath(token);
  const { body: view } = await ada.get(`/api/claims/${link.split('/').at(-1)}`);
  assert.deepEqual([view.applicationName, view.alsoAttached], ['shop', ['blog']]);
  const { body: claimed } = await ada.post(link);
  assert.equal(claimed.message, 'Application shop is yours. So is what was started with its token: blog.');
  assert.deepEqual(claimed.attached.map(({ applicationName }: never) => applicationName).sort(), ['blog', 'shop']);
  assert.deepEqual((await ada.post(link)).body, claimed, 'a second time says the same');

  const { body: later } = await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named('wiki'));
  assert.deepEqual([later.claim, later.extend.expiresAt], [{ claimed: false }, '2026-01-01T14:00:00.000Z']);
  assert.match(later.message, /does not allow its session tokens to start claimed deployments/);
  assert.equal((await ada.get('/getReservations')).body.reservedDeployments.length, 3);
  api.clock.now += 3 * hour;
  assert.deepEqual((await list(api, token)).names.sort(), ['blog', 'shop']);
  assert.equal((await list(api, other)).status, 404);
  const { body } = await ada.get('/getReservations');
  assert.equal(body.reservedDeployments.length, 2);
});

test('where the owner has allowed it, what is started with the token is claimed from the beginning', async () => {
  const api = await apiWithAccounts();
  const token = await api.startShop();
  const ada = await api.person('ada@example.com');
  await ada.post(await api.claimPath(token));
  const { body } = await ada.get('/api/tokens');
  const [{ id, starts }] = body.tokens;
  assert.equal(starts, 'free');
  assert.equal((await ada.post(`/api/tokens/${id}`, { starts: 'plan' })).status, 200);
  const { body: blog } = await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named('blog'));
  assert.deepEqual([blog.claim, blog.extend.expiresAt], [{ claimed: true }, undefined]);
  assert.equal((await ada.get('/api/account')).body.usage.deployments, 2);
  await ada.post(`/api/tokens/${id}`, { starts: 'free' });
  const { body: wiki } = await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named('wiki'));
  assert.deepEqual(wiki.claim, { claimed: false });
  const nonsense = await ada.post(`/api/tokens/${id}`, { starts: 'more' });
  assert.deepEqual([nonsense.status, nonsense.body.code], [400, 'invalid_request']);
});

test('what a session’s token has started after its claim is kept by its owner alone, one by one', async () => {
  const api = await apiWithAccounts();
  const token = await api.startShop();
  const ada = await api.person('ada@example.com');
  await ada.post(await api.claimPath(token));
  for (const name of ['blog', 'wiki']) {
    await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named(name));
  }
  const link = await api.claimPath(token, 'blog');
  const eve = await api.person('eve@example.com');
  assert.equal((await eve.post(link)).body.code, 'already_claimed');
  const { body: view } = await ada.get(`/api/claims/${link.split('/').at(-1)}`);
  assert.deepEqual([view.isYours, view.attached.length, view.alsoAttached], [false, 1, []]);
  const { body: claimed } = await ada.post(link);
  assert.equal(claimed.message, 'Application blog is yours.');
  assert.equal((await ada.get('/api/account')).body.usage.deployments, 2);
  api.clock.now += 3 * hour;
  assert.deepEqual((await list(api, token)).names.sort(), ['blog', 'shop']);
});

test('a claim request without a body attaches as well, and an invalid one is refused', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const link = await api.claimPath(await api.startShop());
  const nonsense = await ada.post(link, { endToken: 'yes' });
  assert.deepEqual([nonsense.status, nonsense.body.code], [400, 'invalid_request']);
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { status } = await api.send('POST', link, undefined, { origin: 'http://localhost:8080', cookie });
  assert.equal(status, 200);
});

test('claiming twice is harmless, and a second account cannot take what is claimed', async () => {
  const api = await apiWithAccounts();
  const token = await api.startShop();
  const [link, secondLink] = [await api.claimPath(token), await api.claimPath(token)];
  const ada = await api.person('ada@example.com');
  const eve = await api.person('eve@example.com');
  const first = await ada.post(link);
  const rows = await api.service.db.selectFrom('deployments').selectAll().execute();
  api.clock.now += hour;
  assert.deepEqual((await ada.post(link)).body, first.body);
  assert.deepEqual((await ada.post(secondLink)).body, first.body);
  assert.deepEqual(await api.service.db.selectFrom('deployments').selectAll().execute(), rows);
  for (const each of [link, secondLink]) {
    const { status, body } = await eve.post(each);
    assert.deepEqual([status, body.code], [409, 'already_claimed']);
  }
  const again = await api.postJson('/claimDeployment', { applicationName: 'shop', sessionToken: token });
  assert.deepEqual([again.status, again.body.code], [409, 'already_claimed']);
});

test('of two accounts that confirm at once, exactly one gets it', async () => {
  const api = await apiWithAccounts();
  const people = [await api.person('ada@example.com'), await api.person('bob@example.com')];
  for (let round = 0; round < 3; round++) {
    const link = await api.claimPath(await api.startShop());
    const answers = await Promise.all(people.map((person) => person.post(link)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  }
  const owners = await api.service.db.selectFrom('sessions').select('accountId').execute();
  assert.ok(owners.every(({ accountId }) => accountId !== null));
});

test('a claim requires a sign-in', async () => {
  const api = await apiWithAccounts();
  const link = await api.claimPath(await api.startShop());
  const { status, body } = await api.browser().post(link);
  assert.deepEqual([status, body.code], [401, 'not_signed_in']);
});

test('a used, an unknown and an expired link each say what they are, as a page and as an error', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const stranger = api.browser();
  const expect = async (browser: typeof stranger, link: string, status: number, code: string, words: RegExp) => {
    const page = await browser.get(link, { accept: 'text/html' });
    assert.deepEqual([page.status, String(page.headers['content-type'])], [status, 'text/html; charset=utf-8']);
    // The page reads the words from here.
    const view = await browser.get(`/api/claims/${link.split('/').at(-1)}`);
    assert.match(view.body.error, words);
    assert.deepEqual([view.status, view.body.code], [status, code]);
  };
  await expect(stranger, '/claim/claim_unknown', 404, 'claim_not_found', /claim link does not exist/);

  const used = await api.claimPath(await api.startShop());
  await ada.post(used);
  await expect(stranger, used, 409, 'already_claimed', /has been used/);
  const { body: mine } = await ada.get(`/api/claims/${used.split('/').at(-1)}`);
  assert.equal(mine.isYours, true);

  const token = await api.startShop();
  const late = await api.claimPath(token);
  for (let extension = 0; extension < 2; extension++) {
    await api.postJson('/extendDeployment', { applicationName: 'shop', sessionToken: token });
  }
  await api.service.db
    .updateTable('deployments')
    .set({ expiresAt: api.clock.now + 30 * hour })
    .execute();
  api.clock.now += 24 * hour;
  await expect(ada, late, 410, 'claim_expired', /This claim link has expired/);
  assert.equal((await ada.post(late)).status, 410);
  // A used link keeps its page after its time limit.
  assert.equal((await ada.get(used, { accept: 'text/html' })).status, 200);

  const ended = await api.claimPath(token);
  await api.postJson('/removeDeploymentReservation', { applicationName: 'shop', sessionToken: token });
  await expect(ada, ended, 410, 'claim_expired', /has ended/);
});

test('a claim that the plan does not allow changes nothing', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const token = await api.startShop();
  for (const name of ['blog', 'wiki', 'chat']) {
    await api.postYaml(`/startUserDeployment?sessionToken=${token}`, named(name));
  }
  const link = await api.claimPath(token);
  const { status, body } = await ada.post(link);
  assert.deepEqual([status, body.code], [403, 'plan_limit_reached']);
  assert.equal(body.error, 'The plan "free" allows 3 deployments; the account has 0, and this would add 4.');
  const rows = await api.service.db.selectFrom('deployments').select(['claimedAt', 'expiresAt']).execute();
  assert.ok(rows.every(({ claimedAt, expiresAt }) => claimedAt === null && expiresAt !== null));
  await api.postJson('/removeDeploymentReservation', { applicationName: 'chat', sessionToken: token });
  assert.equal((await ada.post(link)).status, 200);
});
