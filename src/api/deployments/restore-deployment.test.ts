import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';
import { addBan, removeBan } from '../../store/bans.ts';
import { committedInAll } from '../../store/commitments.ts';
import { writeIntent } from '../../store/deployments.ts';
import { clientHeader } from '../requests/client-address.ts';

const minute = 60_000;
const hour = 60 * minute;

let api: TestApi;
let sessionToken: string;
let url: string;
beforeEach(async () => {
  api = await testApi({ graceMs: 24 * hour });
  ({
    body: { sessionToken, url },
  } = await api.postYaml('/startUserDeployment', shopYaml));
});

const requested = () => ({ applicationName: 'shop', sessionToken });
const status = () => api.get(`/getDeploymentStatus?applicationName=shop&sessionToken=${sessionToken}`);
const restore = () => api.postJson('/restoreDeployment', requested());
const remove = (more: object = {}) => api.postJson('/removeDeploymentReservation', { ...requested(), ...more });
const minutesLeft = async () => (Date.parse((await status()).body.expiresAt) - api.clock.now) / minute;

/** Lets time pass and runs the loop's work. */
async function pass(ms: number): Promise<void> {
  api.clock.now += ms;
}

test('the token of a removed deployment only shows until when it can be restored', async () => {
  const removed = await remove();
  const until = new Date(api.clock.now + 24 * hour).toISOString();
  assert.equal(removed.body.restorableUntil, until);
  assert.match(removed.body.message, /will be removed within the next 10 minutes\. .*POST \/restoreDeployment/);
  const { body } = await status();
  assert.deepEqual([body.status.state, body.status.message, body.restorableUntil], ['expired', 'removed', until]);
  assert.deepEqual([body.status.progress, body.extend.available], [0, false]);
  const refused = [
    await api.get(`/getReservations?sessionToken=${sessionToken}`),
    await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, shopYaml),
    await api.postJson('/extendDeployment', requested()),
    await api.postJson('/claimDeployment', requested()),
    await api.get(`/getDeploymentLogs?applicationName=shop&sessionToken=${sessionToken}`),
    await api.get(`/getDeploymentConfiguration?applicationName=shop&sessionToken=${sessionToken}`),
    await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, shopYaml),
    await remove(),
  ];
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.code], [404, 'session_not_found']);
    assert.match(body.hint, /^POST \/restoreDeployment with the same token brings back shop, at the same address/);
  }
});

test('one application that has ended is named as restorable while another one of the session runs', async () => {
  await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, shopYaml.replace('shop', 'blog'));
  await remove();
  const { body } = await api.postJson('/extendDeployment', requested());
  assert.deepEqual(
    [body.code, /\/restoreDeployment.*brings back shop/.test(body.hint)],
    ['application_not_found', true],
  );
});

test('it comes back at its address, with its token, for what was left of its time; that counts as an extension', async () => {
  await pass(30 * minute);
  await remove();
  await pass(20 * hour);
  const restored = await restore();
  assert.equal(restored.status, 200, JSON.stringify(restored.body));
  assert.match(
    restored.body.message,
    /is being restored, at the same address.* expires in 90 minutes.* an extension: 1 extension\(s\) remaining/,
  );
  assert.deepEqual([restored.body.url, restored.body.status.state], [url, 'deploying']);
  const { body } = await api.get(`/getReservations?sessionToken=${sessionToken}`);
  assert.deepEqual([body.reservedDeployments.length, body.reservedDeployments[0].url], [1, url]);
  assert.deepEqual([await minutesLeft(), (await status()).body.extend.remaining], [90, 1]);
  assert.equal((await restore()).body.code, 'application_exists');
});

test('one that has expired has ten minutes, each time an extension less, and once more without any', async () => {
  await pass(2 * hour);
  for (const remaining of [1, 0, 0]) {
    assert.equal((await status()).body.status.state, 'expired');
    assert.equal((await restore()).status, 200);
    assert.deepEqual([await minutesLeft(), (await status()).body.extend.remaining], [10, remaining]);
    await pass(10 * minute);
  }
  const last = await restore();
  assert.deepEqual([last.status, last.body.code], [409, 'extension_limit_reached']);
  assert.equal((await status()).body.status.state, 'expired', 'what is kept stays until its time');
});

test('after the grace, and without one, nothing answers any more', async () => {
  await remove();
  await pass(24 * hour);
  for (const { status: code, body } of [await status(), await restore()])
    assert.deepEqual([code, body.code], [404, 'session_not_found']);

  const without = await testApi({ graceMs: 0 });
  const token = await without.startShop();
  const named = { applicationName: 'shop', sessionToken: token };
  const removed = await without.postJson('/removeDeploymentReservation', named);
  assert.equal(removed.body.restorableUntil, undefined);
  assert.equal((await without.postJson('/restoreDeployment', named)).body.code, 'session_not_found');
});

test('with `forget` nothing is kept, in the body or in the query, of what runs and of what is kept', async () => {
  const { body } = await remove({ forget: true });
  assert.equal(body.restorableUntil, undefined);
  assert.equal((await restore()).body.code, 'session_not_found');

  sessionToken = await api.startShop();
  await remove();
  const query = `applicationName=shop&sessionToken=${sessionToken}&forget=true`;
  assert.equal((await api.postJson(`/removeDeploymentReservation?${query}`, {})).status, 200);
  assert.equal((await restore()).body.code, 'session_not_found');
  assert.equal((await remove({ forget: 'perhaps' })).body.code, 'invalid_request');
});

test('another token does not restore it, nor does an ended one', async () => {
  await remove();
  const other = await api.startShop();
  const refused = await api.postJson('/restoreDeployment', { applicationName: 'shop', sessionToken: other });
  assert.equal(refused.body.code, 'application_exists', 'it has one of its own, which has not ended');
  assert.equal((await api.postJson('/restoreDeployment', { applicationName: 'shop' })).body.code, 'missing_token');
  await api.service.db.updateTable('sessions').set({ tokenEndedAt: 1 }).execute();
  assert.equal((await restore()).body.code, 'session_not_found');
});

test('a name that its session uses again is not given back to the one before', async () => {
  await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, shopYaml.replace('name: shop', 'name: blog'));
  await remove();
  const again = await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, shopYaml);
  assert.notEqual(again.body.url, url, 'its address is not given away');
  const refused = await restore();
  assert.deepEqual([refused.status, refused.body.code], [409, 'application_exists']);
  await remove({ forget: true });
  assert.equal((await restore()).body.url, url);
});

test('its resources count again: all of them for its owner, only those not kept for the host', async () => {
  await remove();
  const { db } = api.service;
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  // The workloads are removed.
  await db.updateTable('deployments').set({ keptAt: api.clock.now, state: 'expired' }).execute();
  await writeIntent(db, id, { restorableUntil: api.clock.now + hour });
  assert.equal((await committedInAll(db)).memoryBytes, 0);
  api.service.settings.strangers = { ...api.service.settings.strangers, perAddress: 0 };
  assert.equal((await restore()).body.code, 'client_limit_reached');
  api.service.settings.strangers = { ...api.service.settings.strangers, perAddress: 1 };
  const { memoryBytes } = api.budget;
  api.budget.memoryBytes = 1;
  assert.match((await restore()).body.code, /capacity_exhausted|invalid_configuration/);
  api.budget.memoryBytes = memoryBytes;
  assert.equal((await restore()).status, 200);
  assert.ok((await committedInAll(db)).memoryBytes > 0);
});

test('of several that have ended and are kept the environment says which', async () => {
  await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, shopYaml.replace('name: shop', 'name: blog'));
  const first = (await status()).body.environment;
  await remove();
  await pass(minute);
  const again = await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, shopYaml);
  await remove();
  for (const refused of [await remove({ forget: true }), await restore(), await status()]) {
    assert.deepEqual([refused.status, refused.body.code], [409, 'ambiguous_application']);
    assert.match(refused.body.hint, new RegExp(`${again.body.environment}, ${first}`));
  }
  assert.equal((await remove({ forget: true, environment: again.body.environment })).status, 200);
  assert.equal((await restore()).body.url, url);
});

test('it counts for the client that restores it, and a ban of the original address still applies', async () => {
  const from = (address: string) => ({ [clientHeader]: address });
  const { db, settings } = api.service;
  const started = await api.postYaml('/startUserDeployment', shopYaml, from('192.0.2.1'));
  const named = { applicationName: 'shop', sessionToken: started.body.sessionToken };
  await api.postJson('/removeDeploymentReservation', named);
  settings.strangers = { ...settings.strangers, perAddress: 1 };
  const restoreFrom = (address: string) => api.postJson('/restoreDeployment', named, from(address));

  await addBan(db, { kind: 'address', subject: '192.0.2.1', reason: 'spam', createdAt: 0 });
  for (const address of ['192.0.2.1', '192.0.2.2']) assert.equal((await restoreFrom(address)).body.code, 'banned');
  await removeBan(db, { kind: 'address', subject: '192.0.2.1' });

  assert.equal((await restoreFrom('192.0.2.2')).status, 200);
  const refused = await api.postYaml('/startUserDeployment', shopYaml, from('192.0.2.2'));
  assert.equal(refused.body.code, 'client_limit_reached');
  assert.equal((await api.postYaml('/startUserDeployment', shopYaml, from('192.0.2.1'))).status, 200);
});
