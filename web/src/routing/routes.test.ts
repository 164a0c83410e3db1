import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, type Route, readRoute } from './routes.ts';

const routes: Exclude<Route, { page: 'unknown' }>[] = [
  { page: 'home' },
  { page: 'deployments' },
  { page: 'deployment', environment: 'jolly-tapir', applicationName: 'shop', tab: 'overview' },
  { page: 'deployment', environment: 'jolly-tapir', applicationName: 'shop.v2', tab: 'configuration' },
  { page: 'claim', token: 'claim_abc-_1' },
  { page: 'shared', token: 'share_abc-_1' },
  { page: 'account' },
  { page: 'reset-password' },
];

test('every page has a path that leads back to it', () => {
  for (const route of routes) assert.deepEqual(readRoute(pathOf(route)), route);
});

test('a slash at the end changes nothing', () => {
  assert.deepEqual(readRoute('/deployments/'), { page: 'deployments' });
  assert.deepEqual(readRoute('/d/jolly-tapir/shop/'), readRoute('/d/jolly-tapir/shop'));
});

test('an unknown path leads to the page for missing pages', () => {
  for (const path of [
    '/nothing',
    '/d/jolly-tapir',
    '/d/jolly-tapir/shop/other',
    '/claim',
    '/claim/a/b',
    '/%',
    '/d/a/b/logs/c',
  ]) {
    assert.deepEqual(readRoute(path), { page: 'unknown' });
  }
});
