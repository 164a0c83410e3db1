/** Custom domains that a configuration names, and those of a deployment that ends and comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseDomain } from '../../src/store/domains.ts';
import { shopYaml } from '../support/api.ts';
import { apiWithAccounts } from './people.ts';

const hour = 3_600_000;
const naming = (url: string, name = 'shop') => shopYaml.replace('  name: shop', `  name: ${name}\n  url: ${url}`);

type Person = Awaited<ReturnType<Awaited<ReturnType<typeof apiWithAccounts>>['person']>>;

async function keyOf(person: Person): Promise<{ authorization: string }> {
  const { body } = await person.post('/api/keys', { name: 'tests' });
  return { authorization: `Bearer ${body.key}` };
}

async function namesOf(person: Person, applicationName = 'shop', more = ''): Promise<string[]> {
  const { body } = await person.get(`/getDomains?applicationName=${applicationName}${more}`);
  return body.domains.map(({ domain, state }: { domain: string; state: string }) => `${domain} ${state}`);
}

test('what a document names is added when an account starts it, and by an update; leaving it out removes nothing', async () => {
  const api = await apiWithAccounts();
  const ada = await api.person('ada@example.com');
  const key = await keyOf(ada);
  const { body: started } = await api.postYaml('/startUserDeployment', naming('shop.example.com'), key);
  assert.equal(started.domain.state, 'pending');
  assert.deepEqual(
    started.domain.records.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`),
    ['TXT _berth.shop.example.com', 'CNAME shop.example.com'],
  );
  const { body: updated } = await api.postYaml('/updateUserDeployment', naming('blog.example.com'), key);
  assert.equal(updated.domain.domain, 'blog.example.com');
  const { body: without } = await api.postYaml('/updateUserDeployment', shopYaml, key);
  assert.equal(without.domain, undefined);
  assert.deepEqual((await namesOf(ada)).toSorted(), ['blog.example.com pending', 'shop.example.com pending']);
  const { body: trial } = await api.postYaml('/updateUserDeployment?dryRun=true', naming('x.example.com'), key);
  assert.deepEqual([trial.dryRun, (await namesOf(ada)).length], [true, 2]);
  const { body: back } = await ada.post('/rollbackUserDeployment', { applicationName: 'shop', revision: 1 });
  assert.equal(back.domain.domain, 'shop.example.com');
});

test('each subdomain is a name of its own, added with the domain, as far as the plan has room', async () => {
  const withAdmin = (yaml: string) =>
    `${yaml}    - name: admin\n      image: nginx:1\n      path: /\n      subdomain: admin\n      servicePorts: [80]\n`;
  const api = await apiWithAccounts({}, { tiers: [{ ...freeTier, domains: 3 }] });
  const ada = await api.person('ada@example.com');
  const key = await keyOf(ada);
  const start = async (url: string, name: string) =>
    (await api.postYaml('/startUserDeployment', withAdmin(naming(url, name)), key)).body;
  const started = await start('example.com', 'shop');
  const [admin, ...others] = started.subdomains;
  assert.deepEqual([started.domain.domain, admin.domain, others], ['example.com', 'admin.example.com', []]);
  assert.deepEqual(
    admin.records.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`),
    ['TXT _berth.admin.example.com', 'CNAME admin.example.com'],
  );
  const beyond = await start('example.org', 'blog');
  assert.deepEqual([beyond.domain.domain, beyond.subdomains], ['example.org', undefined]);
  assert.match(beyond.warnings.at(-1), /^application\.pods\[1\]\.subdomain: .* allows 3 custom domains/);
});

test('what a stranger’s document names is added by the claim', async () => {
  const api = await apiWithAccounts();
  const { body: started } = await api.postYaml('/startUserDeployment', naming('shop.example.com'));
  assert.equal(started.domain, undefined);
  assert.match(started.warnings.join(), /application\.url: is added once the deployment is claimed/);
  const ada = await api.person('ada@example.com');
  const link = await api.claimPath(started.sessionToken);
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await ada.post(link)).status, 200);
    assert.deepEqual(await namesOf(ada), ['shop.example.com pending']);
  }
});

test('a name that cannot be added is a warning, and is taken from no other deployment of the account', async () => {
  const api = await apiWithAccounts({}, { tiers: [{ ...freeTier, domains: 1 }] });
  const ada = await api.person('ada@example.com');
  const key = await keyOf(ada);
  await api.postYaml('/startUserDeployment', naming('shop.example.com'), key);
  const start = async (url: string, name: string) => {
    const { status, body } = await api.postYaml('/startUserDeployment', naming(url, name), key);
    assert.deepEqual([status, body.domain], [200, undefined]);
    return body.warnings.at(-1) as string;
  };
  const copy = await start('shop.example.com', 'staging');
  assert.match(copy, /^application\.url: shop\.example\.com leads to another deployment of yours: shop \(\w+-\w+\)\./);
  assert.match(copy, /"berth domains add shop\.example\.com" moves it here/);
  assert.match(await start('more.example.com', 'other'), /allows 1 custom domain/);
  assert.deepEqual(await namesOf(ada), ['shop.example.com pending']);
  const moved = await ada.post('/addDomain', { applicationName: 'staging', domain: 'shop.example.com' });
  assert.equal(moved.status, 200);
  assert.deepEqual(await namesOf(ada), []);
});

test('a deployment that is restored has its domains again', async () => {
  const api = await apiWithAccounts({}, { graceMs: 24 * hour });
  const ada = await api.person('ada@example.com');
  await api.postYaml('/startUserDeployment', naming('shop.example.com'), await keyOf(ada));
  const { db } = api.service;
  await db.updateTable('domains').set({ verifiedAt: 1 }).execute();
  await ada.post('/removeDeploymentReservation', { applicationName: 'shop' });
  const { accountId } = await db.selectFrom('domains').selectAll().executeTakeFirstOrThrow();
  const key = { name: 'shop.example.com', accountId };
  await db.transaction().execute((db) => releaseDomain(db, key, { because: 'ended', now: api.clock.now }));
  assert.equal((await ada.post('/restoreDeployment', { applicationName: 'shop' })).status, 200);
  assert.deepEqual(await namesOf(ada), ['shop.example.com verified']);
});

const freeTier = { name: 'free', deployments: 5, memoryBytes: 2 ** 40, allowsReservations: false, lifetimeMs: null };
