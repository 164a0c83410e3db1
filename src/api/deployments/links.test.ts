import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOf } from './links.ts';

const shop = { applicationName: 'shop', environment: 'jolly-tapir', claimedAt: null };
const baseUrl = new URL('https://berth.example.com');

test('an account’s links name the environment, because it may have two applications of one name', () => {
  const { status, events, update } = linksOf(shop, { baseUrl, callerKind: 'account', hasDashboard: false });
  assert.equal(
    status,
    'https://berth.example.com/getDeploymentStatus?applicationName=shop&environment=jolly-tapir&wait=50',
  );
  assert.match(events, /environment=jolly-tapir/);
  assert.match(update, /updateUserDeployment\?environment=jolly-tapir$/);
});

test('the dashboard is named where there is one, and claiming while it is possible', () => {
  const free = linksOf(shop, { baseUrl, callerKind: 'session', hasDashboard: true });
  assert.equal(free.dashboard, 'https://berth.example.com/d/jolly-tapir/shop');
  assert.equal(free.claim, 'https://berth.example.com/claimDeployment');
  const claimed = linksOf({ ...shop, claimedAt: 1 }, { baseUrl, callerKind: 'session', hasDashboard: false });
  assert.deepEqual(['claim' in claimed, 'dashboard' in claimed], [false, false]);
});
