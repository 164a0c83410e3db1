/** Each sentence of the interface on reservations, with accounts and plans. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isActive } from '../../src/deployment/deployment.ts';
import { deploymentById } from '../../src/store/deployments.ts';
import { shopYaml } from '../support/api.ts';
import { apiWithAccounts } from './people.ts';

const hour = 3_600_000;
const free = { name: 'free', deployments: 3, memoryBytes: 2 ** 30, allowsReservations: false, lifetimeMs: hour };
const pro = { ...free, name: 'pro', allowsReservations: true };

/** Ada, whose plan is `tier`, and a shop that she has claimed. */
async function claimedShop(tier: string) {
  const api = await apiWithAccounts({}, { tiers: [free, pro] });
  const sessionToken = await api.startShop();
  const ada = await api.person('ada@example.com');
  await ada.post(await api.claimPath(sessionToken));
  await api.service.db.updateTable('accounts').set({ tier }).execute();
  const { id } = await api.service.db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const isLive = async () => isActive((await deploymentById(api.service.db, id))!, api.clock.now);
  return { api, ada, id, isLive, body: { applicationName: 'shop', sessionToken } };
}

test('adding a reservation requires an account: without one the answer is 500 and says that the plan must be upgraded', async () => {
  const api = await apiWithAccounts();
  const sessionToken = await api.startShop();
  const { status, body } = await api.postJson('/addDeploymentReservation', { applicationName: 'shop', sessionToken });
  assert.deepEqual([status, body.code], [500, 'plan_does_not_allow_reservations']);
  assert.equal(body.error, "The user's plan does not allow reservations and must be upgraded.");
});

test('adding a reservation requires a plan tier that allows reservations', async () => {
  const { api, ada, body } = await claimedShop('free');
  const byToken = await api.postJson('/addDeploymentReservation', body);
  assert.deepEqual([byToken.status, byToken.body.code], [500, 'plan_does_not_allow_reservations']);
  const byCookie = await ada.post('/addDeploymentReservation', { applicationName: 'shop' });
  assert.equal(byCookie.status, 500);
});

test('on a plan that allows it the reservation is added, the message says so, and the deployment outlives its limit', async () => {
  const { api, ada, isLive, body } = await claimedShop('pro');
  const { status, body: answer } = await api.postJson('/addDeploymentReservation', body);
  assert.deepEqual([status, answer], [200, { message: 'Application shop reservation has been added.' }]);
  const held = await api.service.db.selectFrom('deployments').selectAll().execute();
  assert.equal((await ada.post('/addDeploymentReservation', { applicationName: 'shop' })).status, 200);
  assert.deepEqual(await api.service.db.selectFrom('deployments').selectAll().execute(), held);
  api.clock.now += 2 * hour;
  assert.equal(await isLive(), true);
  const { body: list } = await api.get(`/getReservations?sessionToken=${body.sessionToken}`);
  assert.equal(list.reservedDeployments[0].applicationName, 'shop');
});

test('a deployment whose limit has passed cannot be held any more', async () => {
  const { api, body, isLive } = await claimedShop('pro');
  api.clock.now += 2 * hour;
  assert.equal((await api.postJson('/addDeploymentReservation', body)).status, 404);
  assert.equal(await isLive(), false);
});

test('a deployment whose limit passes during the request is not held', async () => {
  const { api, body, isLive } = await claimedShop('pro');
  const { db } = api.service;
  const begin = db.transaction.bind(db);
  // The application is found in time; when the transaction begins, the time is over.
  db.transaction = () => {
    api.clock.now += 2 * hour;
    return begin();
  };
  const { status, body: answer } = await api.postJson('/addDeploymentReservation', body);
  assert.deepEqual([status, answer.code], [404, 'application_not_found']);
  assert.equal(await isLive(), false);
});

test('a reservation of an unknown application is 404', async () => {
  const { api, body } = await claimedShop('pro');
  const answer = await api.postJson('/addDeploymentReservation', { ...body, applicationName: 'nothing' });
  assert.deepEqual([answer.status, answer.body.code], [404, 'application_not_found']);
});

test('removing a reservation says that the site is removed within 10 minutes, and ends the deployment now', async () => {
  const { api, id, isLive, body } = await claimedShop('pro');
  await api.postJson('/addDeploymentReservation', body);
  const { body: answer } = await api.postJson('/removeDeploymentReservation', body);
  assert.deepEqual(answer, {
    message:
      'Application shop reservation has been removed. Application site will be removed within the next 10 minutes.',
  });
  assert.equal(await isLive(), false);
  assert.equal(api.woken.at(-1), id);
});

test('removing all reservations ends those past their limits, leaves the others to theirs, and says so', async () => {
  const { api, isLive, body } = await claimedShop('pro');
  const { sessionToken } = body;
  await api.postJson('/addDeploymentReservation', body);
  api.clock.now += 2 * hour;
  await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, shopYaml.replace('shop', 'blog'));
  await api.postJson('/addDeploymentReservation', { ...body, applicationName: 'blog' });
  const answer = await api.postJson('/removeReservations', { sessionToken });
  assert.equal(
    answer.body,
    'Application reservations have been removed. If deployments have reached their time limits, ' +
      'application sites will be removed within 10 minutes. ' +
      'Nothing else was removed; still running until the time limit, if there is one: blog. ' +
      'POST /removeDeploymentReservation removes a deployment with its site and data.',
  );
  assert.equal(await isLive(), false);
  const { body: list } = await api.get(`/getReservations?sessionToken=${sessionToken}`);
  assert.equal(list.reservedDeployments.length, 1);
  api.clock.now += 2 * hour;
  assert.equal((await api.get(`/getReservations?sessionToken=${sessionToken}`)).status, 404);
});

test('listing with an unknown token is 404', async () => {
  const api = await apiWithAccounts();
  const { status, body } = await api.get('/getReservations?sessionToken=berth_nobody');
  assert.deepEqual([status, body.code], [404, 'session_not_found']);
});
