import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { readDashboard } from './bundle.ts';

const html = { accept: 'text/html,application/xhtml+xml' };
const folder = join(import.meta.dirname, '../../../web/dist');

async function withDashboard() {
  const dashboard = await readDashboard(folder, { baseUrl: new URL('http://localhost:8080') });
  assert.ok(dashboard, 'npm test builds the dashboard first');
  const api = await testApi();
  api.service.dashboard = dashboard;
  return { dashboard, api };
}

test('every path of the dashboard returns its page, and other paths return the API’s answer', async () => {
  const { api } = await withDashboard();
  for (const path of [
    '/',
    '/deployments',
    '/d/jolly-tapir/shop',
    '/d/jolly-tapir/shop/logs',
    '/account',
    '/sign-in',
    '/new',
    '/templates',
  ]) {
    const { status, headers, body } = await api.get(path, html);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(body, /<div id="root"><\/div>/);
  }
  const unknown = await api.get('/nothing/here', html);
  assert.deepEqual([unknown.status, unknown.headers['content-type']], [404, 'text/html; charset=utf-8']);
  assert.equal((await api.get('/nothing/here')).body.code, 'not_found');
  assert.equal((await api.get('/getReservations', html)).body.code, 'missing_token');
});

test('from a terminal the start is an example to copy', async () => {
  const { api } = await withDashboard();
  const { headers, body } = await api.get('/', { accept: '*/*' });
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.match(body, /^curl -X POST http:\/\/localhost:8080\/startUserDeployment/m);
});

test('the policy of the page lets it run its own scripts and styles and nothing else', async () => {
  const { api } = await withDashboard();
  const [first, second] = [await api.get('/', html), await api.get('/', html)];
  const policy = String(first.headers['content-security-policy']);
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self' 'sha256-[^']+'(;|$)/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.ok(!/unsafe-|\*|https?:|data: ?;? ?script/.test(policy), policy);
  const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
  assert.ok(first.body.includes(nonce) && !second.body.includes(nonce));
  assert.ok(!first.body.includes('%NONCE%') && !first.body.includes('%ORIGIN%'));
  assert.equal(first.headers['referrer-policy'], 'no-referrer');
});

test('over HTTPS the page loads nothing without it', async () => {
  const policyAt = async (baseUrl: string) =>
    (await readDashboard(folder, { baseUrl: new URL(baseUrl) }))!.page().policy.split('; ');
  assert.ok((await policyAt('https://berth.test')).includes('upgrade-insecure-requests'));
  assert.ok(!(await policyAt('http://localhost:8080')).includes('upgrade-insecure-requests'));
});

test('the page contains the terms of use, as text', async () => {
  const termsUrl = new URL('https://example.com/terms?a="><script>');
  const dashboard = await readDashboard(folder, { baseUrl: new URL('http://localhost:8080'), termsUrl });
  assert.match(
    dashboard!.page().html,
    /<meta name="terms" content="https:\/\/example\.com\/terms\?a=%22%3E%3Cscript%3E"/,
  );
});

test('the files that the page loads come compressed, and are kept for a year', async () => {
  const { api } = await withDashboard();
  const page = await api.get('/', html);
  const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(page.body)!;
  assert.match(script!, /^\/assets\/.+-[\w-]{8,}\.js$/);
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['', undefined],
  ]) {
    const { status, headers } = await api.get(script!, { 'accept-encoding': accepted! });
    assert.deepEqual([status, headers['content-encoding']], [200, encoding]);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
  }
  assert.equal(page.headers['cache-control'], 'no-store');
});

test('a name that does not belong to a file of the dashboard is not served', async () => {
  const { api } = await withDashboard();
  for (const name of [
    'nothing.js',
    '..%2findex.html',
    '..%2f..%2fpackage.json',
    '%2e%2e%2findex.html',
    'constructor',
  ]) {
    assert.equal((await api.get(`/assets/${name}`)).status, 404, name);
  }
});

test('without a dashboard the start says how to use the API', async () => {
  const api = await testApi();
  const { status, body } = await api.get('/', html);
  assert.equal(status, 200);
  assert.match(body, /The dashboard is not built/);
});

test('the page of a claim link has the status of the link', async () => {
  const { api } = await withDashboard();
  const token = await api.startShop();
  const { body } = await api.postJson('/claimDeployment', { applicationName: 'shop', sessionToken: token });
  const statusNow = async () => (await api.get(`/claim/${body.claimToken}`, html)).status;
  assert.equal(await statusNow(), 200);
  assert.equal((await api.get('/claim/claim_unknown', html)).status, 404);
  api.clock.now += 24 * 60 * 60_000;
  assert.equal(await statusNow(), 410);
});

test('the icon is served with and without a dashboard, so that no browser logs a missing file', async () => {
  const { api } = await withDashboard();
  const { status, headers, body } = await api.get('/favicon.ico', { accept: 'image/*' });
  assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
  assert.match(String(body), /^<svg /);
  api.service.dashboard = undefined;
  assert.equal((await api.get('/favicon.ico')).status, 200);
  assert.match((await api.get('/', html)).body, /<link rel="icon" href="\/favicon\.ico">/);
});
