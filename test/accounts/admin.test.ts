import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSqlite } from '../../src/store/database.ts';
import { type ApiWithAccounts, apiWithAccounts } from './people.ts';
import * as terminal from './terminal.ts';

const hour = 3_600_000;
const tiers = 'free deployments=3 memory=1Gi lifetime=24h; pro deployments=9 memory=1Gi reservations=yes';

let dataDir: string;
let api: ApiWithAccounts;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-admin-'));
  const plans = [
    { name: 'free', deployments: 3, memoryBytes: 2 ** 30, allowsReservations: false, lifetimeMs: 24 * hour },
    { name: 'pro', deployments: 9, memoryBytes: 2 ** 30, allowsReservations: true, lifetimeMs: null },
  ] as const;
  // A service that runs: its connection to the database stays open while the commands work on the same file.
  api = await apiWithAccounts({}, { tiers: plans }, await openSqlite(join(dataDir, 'berth.db')));
  api.clock.now = Date.now();
});
after(async () => {
  await api.service.db.destroy();
  await rm(dataDir, { recursive: true });
});

const berthAdmin = (...words: string[]) =>
  terminal.berthAdmin({ BERTH_DATA_DIR: dataDir, BERTH_TIERS: tiers }, ...words);

const notVerified = (email: string) =>
  `Warning: the address ${email} is not verified. The account may belong to another person than you expect.\n`;

test('the operator gives an account another plan, and what it has follows that plan, while the service runs', async () => {
  const ada = await api.person('ada@example.com');
  const sessionToken = await api.startShop();
  const shop = { applicationName: 'shop', sessionToken };
  await ada.post(await api.claimPath(sessionToken));
  const until = async () => (await ada.get('/getReservations')).body.reservedDeployments[0].expiresAt;
  assert.ok((await until()) !== undefined);
  assert.equal((await api.postJson('/addDeploymentReservation', shop)).status, 500);

  const upgraded = await berthAdmin('plan', 'Ada@example.com', 'pro');
  assert.deepEqual(upgraded, {
    status: 0,
    stdout: `Ada@example.com has the plan pro instead of free; deployments changed: 1\n${notVerified('Ada@example.com')}`,
    stderr: '',
  });
  assert.equal((await ada.get('/api/account')).body.tier.name, 'pro');
  assert.equal(await until(), undefined);
  assert.equal((await api.postJson('/addDeploymentReservation', shop)).status, 200);
  assert.match((await berthAdmin('plan', 'ada@example.com', 'pro')).stdout, /has the plan pro already/);

  // Back on a plan without reservations the hold ends; the site has that plan's lifetime from now on.
  assert.equal((await berthAdmin('plan', 'ada@example.com', 'free')).status, 0);
  const left = Date.parse(await until()) - Date.now();
  assert.ok(left > 23.9 * hour && left <= 24 * hour);
  const row = await api.service.db.selectFrom('deployments').select('heldAt').executeTakeFirstOrThrow();
  assert.equal(row.heldAt, null);
});

test('a plan for an unverified address is given with a warning, and for a verified one without', async () => {
  await api.person('mallory@example.com');
  const change = async () => await berthAdmin('plan', 'mallory@example.com', 'free');
  assert.match((await change()).stdout, /has the plan free already\nWarning: the address mallory@example\.com is not/);
  const asJson = JSON.parse((await berthAdmin('plan', 'mallory@example.com', 'free', '--json')).stdout);
  assert.equal(asJson.isEmailVerified, false);
  const { db } = api.service;
  await db.updateTable('accounts').set({ emailVerified: 1 }).where('email', '=', 'mallory@example.com').execute();
  assert.equal((await change()).stdout, 'mallory@example.com has the plan free already\n');
  await db.deleteFrom('accounts').where('email', '=', 'mallory@example.com').execute();
});

test('accounts and deployments are listed for people and for scripts', async () => {
  api.clock.now += 1;
  const { body: bare } = await api.postYaml(
    '/startUserDeployment',
    'application: { name: bare, pods: [{ name: web, image: "nginx:1", path: /, servicePorts: [80] }] }',
  );
  const table = await berthAdmin('accounts');
  assert.equal(table.status, 0);
  const [head, line] = table.stdout.split('\n');
  assert.match(head!, /^E-MAIL +NAME +VERIFIED +PLAN +DEPLOYMENTS +MEMORY +SINCE$/);
  assert.match(line!, /^ada@example\.com +ada +no +free +1 +32 MiB +20/);
  const { accounts } = JSON.parse((await berthAdmin('accounts', '--json')).stdout);
  assert.deepEqual([accounts.length, accounts[0].email, accounts[0].tier], [1, 'ada@example.com', 'free']);

  const { deployments } = JSON.parse((await berthAdmin('deployments', '--json')).stdout);
  assert.deepEqual(
    deployments.map(({ applicationName, email, environment }: never) => [applicationName, email, environment]).at(-1),
    ['bare', undefined, bare.environment],
  );
  assert.equal(deployments[0].email, 'ada@example.com');
  assert.match((await berthAdmin('deployments')).stdout, /shop +\S+ +deploying +ada@example\.com +20/);
});

test('a name that a terminal would obey is not printed as it is', async () => {
  await api.browser().post('/api/auth/sign-up/email', {
    name: '\u001b]0;title\u0007\u001b[2J eve',
    email: 'eve@example.com',
    password: 'correct horse battery',
  });
  const { stdout } = await berthAdmin('accounts');
  assert.match(stdout, /eve@example\.com/);
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{Cc}/u);
});

test('1 for an unknown account or plan', async () => {
  const missing = await berthAdmin('plan', 'missing@example.com', 'pro');
  assert.deepEqual([missing.status, missing.stderr], [1, 'No account has the address missing@example.com.\n']);
  const none = await berthAdmin('plan', 'ada@example.com', 'gold');
  assert.deepEqual([none.status, none.stderr], [1, 'The plan does not exist: "gold"; BERTH_TIERS has: free, pro.\n']);
  const asJson = await berthAdmin('plan', 'ada@example.com', 'gold', '--json');
  assert.deepEqual([asJson.status, asJson.stderr], [1, '']);
  assert.ok(JSON.parse(asJson.stdout).error);
});

test('2 for invalid arguments, and without an installation', async () => {
  for (const words of [
    [],
    ['accounts', 'x'],
    ['plan', 'ada@example.com'],
    ['nothing'],
    ['accounts', '--colour'],
    ['toString'],
  ]) {
    const { status, stdout, stderr } = await berthAdmin(...words);
    assert.deepEqual([status, stdout], [2, ''], words.join(' '));
    assert.match(stderr, /berth admin plan EMAIL TIER/, words.join(' '));
  }
  const berth = (words: string[], env: Record<string, string>) =>
    spawnSync(process.execPath, ['src/cli/bin.mjs', ...words], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    });
  const nowhere = berth(['admin', 'accounts'], { BERTH_DATA_DIR: join(dataDir, 'nothing') });
  assert.deepEqual([nowhere.status, nowhere.stdout], [2, '']);
  assert.match(nowhere.stderr, /^No service was ever started from .*nothing; set BERTH_DATA_DIR\.\n$/);
  const helped = berth(['admin', '--help'], {});
  assert.deepEqual([helped.status, helped.stderr], [0, '']);
  assert.match(helped.stdout, /berth admin plan EMAIL TIER/);
});
