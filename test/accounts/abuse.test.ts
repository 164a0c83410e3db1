import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { clientHeader } from '../../src/api/requests/client-address.ts';
import { describeEvent } from '../../src/deployment/event/event-text.ts';
import { statePage } from '../../src/edge/pages/site-pages.ts';
import { siteState } from '../../src/edge/served-sites.ts';
import { openSqlite } from '../../src/store/database.ts';
import { eventsAfter } from '../../src/store/events.ts';
import { type ApiWithAccounts, apiWithAccounts } from './people.ts';
import { berthAdmin } from './terminal.ts';

let dataDir: string;
let api: ApiWithAccounts;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-abuse-'));
  api = await apiWithAccounts({}, {}, await openSqlite(join(dataDir, 'berth.db')));
  api.clock.now = Date.now();
});
after(async () => {
  await api.service.db.destroy();
  await rm(dataDir, { recursive: true });
});

const admin = (...words: string[]) => berthAdmin({ BERTH_DATA_DIR: dataDir }, ...words);
const json = async (...words: string[]) => JSON.parse((await admin(...words, '--json')).stdout);

async function start(name: string, { address = '192.0.2.1', image = 'nginx:1' } = {}) {
  const yaml = `application: { name: ${name}, pods: [{ name: web, image: "${image}", path: /, servicePorts: [80], vars: { PASSWORD: hush-hush } }] }`;
  const { status, body } = await api.postYaml('/startUserDeployment', yaml, { [clientHeader]: address });
  const { deployments } = await json('deployments');
  return {
    status,
    body,
    id: deployments.findLast((known: { applicationName: string }) => known.applicationName === name)?.id as string,
  };
}

const isListed = async (token: string) => (await api.get(`/getReservations?sessionToken=${token}`)).status === 200;

test('the operator sees who started what from where, and no secret of it', async () => {
  const { id, body } = await start('seen', { address: '192.0.2.50' });
  const inspection = await json('inspect', id);
  assert.deepEqual(
    [inspection.id, inspection.applicationName, inspection.address, inspection.images, inspection.events[0].message],
    [id, 'seen', '192.0.2.50', ['nginx:1'], 'started'],
  );
  const { stdout } = await admin('inspect', new URL(body.url).hostname.split('.')[0]!);
  assert.match(stdout, /address +192\.0\.2\.50/);
  assert.doesNotMatch(stdout + JSON.stringify(inspection), /hush-hush/);
});

test('the operator stops a deployment; its owner sees the reason, and the audit log the operator', async () => {
  const { id, body } = await start('loud');
  const stopped = await admin('stop', id, 'too loud', '--yes');
  assert.deepEqual([stopped.status, stopped.stdout], [0, `Deployment ${id} is being stopped\n`]);
  assert.equal(await isListed(body.sessionToken), false);
  const events = await eventsAfter(api.service.db, id, 0, 100);
  assert.equal(describeEvent(events.at(-1)!), 'stopped by the operator: too loud');
  const [entry] = (await json('audit')).entries.slice(-1);
  assert.deepEqual(
    [entry.actor, entry.action, entry.subject, entry.reason],
    [process.env.SUDO_USER || userInfo().username, 'stop', id, 'too loud'],
  );
  assert.deepEqual((await admin('stop', id, 'again')).status, 1);
  assert.match((await admin('stop', 'nothing', 'why')).stderr, /^No deployment matches nothing;/);
});

test('a ban of an address stops what strangers have from there, and ends with unban', async () => {
  const near = await start('near', { address: '198.51.100.7' });
  const far = await start('far', { address: '203.0.113.7' });
  const banned = await json('ban', 'address', '198.51.100.0/24', 'attacks', '--yes');
  assert.deepEqual(banned.stopped, [near.id]);
  assert.deepEqual([await isListed(near.body.sessionToken), await isListed(far.body.sessionToken)], [false, true]);
  assert.equal((await start('again', { address: '198.51.100.8' })).status, 403);
  assert.match((await admin('bans')).stdout, /address +198\.51\.100\.0\/24 +20\S+ +attacks/);
  assert.equal((await admin('unban', 'address', '198.51.100.0/24')).status, 0);
  assert.equal((await start('again', { address: '198.51.100.8' })).status, 200);
  assert.equal((await admin('unban', 'address', '198.51.100.0/24')).status, 1);
});

test('a ban of an image stops all deployments that run it', async () => {
  const miner = await start('miner', { image: 'ghcr.io/acme/miner:1' });
  assert.deepEqual((await json('ban', 'image', 'ghcr.io/acme/*', 'mines', '--yes')).stopped, [miner.id]);
  assert.equal((await start('miner', { image: 'ghcr.io/acme/miner:2' })).status, 403);
});

test('a banned account keeps nothing, starts nothing and claims nothing; its e-mail is what the operator writes', async () => {
  const eve = await api.person('eve@example.com');
  const token = await api.startShop();
  const claimPath = await api.claimPath(token);
  await eve.post(claimPath);
  assert.equal((await json('ban', 'account', 'Eve@example.com', 'fraud', '--yes')).stopped.length, 1);
  assert.equal(await isListed(token), false);
  const { body } = await start('fresh');
  assert.equal((await eve.post(await api.claimPath(body.sessionToken, 'fresh'))).body.code, 'banned');
  assert.deepEqual((await json('bans')).bans.at(-1).subject, 'eve@example.com');
  assert.equal((await admin('ban', 'account', 'nobody@example.com', 'x')).status, 1);
});

test('an invalid kind or subject is refused with an explanation', async () => {
  assert.match((await admin('ban', 'moon', 'x', 'y')).stderr, /KIND is one of address, account, image/);
  assert.match((await admin('ban', 'address', 'example.com', 'y')).stderr, /example\.com is not a valid address/);
});

test('--dry-run counts what a ban would stop; without a terminal, the ban needs --yes', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 6; index++) {
    const started = await start(`busy-${index}`, { address: `192.0.2.${100 + index}`, image: 'redis:7' });
    ids.push(started.id);
  }
  const counted = await admin('ban', 'image', 'redis:7', 'mines', '--dry-run');
  const words = 'ban image redis:7 and stop 6 deployments (0 claimed, 6 unclaimed), with the data';
  assert.deepEqual([counted.status, counted.stdout], [0, `This would ${words}. Nothing was changed.\n`]);
  const { affected, dryRun } = await json('ban', 'image', 'redis:7', 'mines', '--dry-run');
  assert.deepEqual([affected, dryRun], [{ deployments: 6, accounts: 0, claimed: 0, unclaimed: 6 }, true]);
  const refused = await admin('ban', 'image', 'redis:7', 'mines');
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^This would ban image redis:7 and stop 6 deployments .* --yes/);
  const { bans } = await json('bans');
  assert.equal(
    bans.some(({ subject }: { subject: string }) => subject === 'redis:7'),
    false,
  );
  assert.deepEqual((await json('ban', 'image', 'redis:7', 'mines', '--yes')).stopped.toSorted(), ids.toSorted());
});

test('without a terminal, a stop needs --yes, and --dry-run stops nothing', async () => {
  const { id, body } = await start('calm');
  const counted = await admin('stop', id, 'phishing', '--dry-run');
  assert.match(counted.stdout, /^This would stop deployment \S+ \(calm, 1 deployment .*Nothing was changed\.\n$/);
  assert.equal((await admin('stop', id, 'phishing')).status, 1);
  assert.equal(await isListed(body.sessionToken), true);
});

test('a suspended deployment is there for its owner to read, with the reason, and not to change', async () => {
  const { id, body } = await start('odd');
  assert.equal((await admin('suspend', id, 'phishing')).status, 0);
  assert.match((await admin('suspend', id, 'phishing')).stderr, /is suspended already/);
  const requested = { applicationName: 'odd', sessionToken: body.sessionToken };
  const { status } = (await api.get(`/getDeploymentStatus?applicationName=odd&sessionToken=${body.sessionToken}`)).body;
  assert.deepEqual([status.health, status.message], ['stopped', 'suspended by the operator: phishing']);
  for (const path of ['/startApplication', '/stopApplication', '/removeDeploymentReservation']) {
    const refused = await api.postJson(path, requested);
    assert.deepEqual([refused.status, refused.body.code], [403, 'application_suspended'], path);
  }
  const yaml = 'application: { name: odd, pods: [{ name: web, image: "nginx:2", path: /, servicePorts: [80] }] }';
  const update = await api.postYaml(`/updateUserDeployment?sessionToken=${body.sessionToken}`, yaml);
  assert.equal(update.body.code, 'application_suspended');
  const site = await siteState(api.service.db, {
    host: new URL(body.url).hostname,
    appsDomain: new URL(body.url).hostname.split('.').slice(1).join('.'),
    baseUrl: new URL('http://localhost'),
    now: Date.now(),
  });
  const page = statePage(site, { host: 'odd', path: '/', wantsHtml: true });
  assert.deepEqual([page.status, /is suspended/.test(page.body), /phishing/.test(page.body)], [503, true, false]);
  assert.equal((await admin('unsuspend', id)).status, 0);
  assert.equal((await admin('unsuspend', id)).status, 1);
  assert.equal((await api.postJson('/stopApplication', requested)).status, 200);
  const actions = (await json('audit')).entries.slice(-2).map(({ action }: { action: string }) => action);
  assert.deepEqual(actions, ['suspend', 'unsuspend']);
});
