import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addAccount } from '../../test/support/accounts.ts';
import { deploymentOf, podStatusOf } from '../../test/support/deployments.ts';
import { emptyStore } from '../../test/support/empty-store.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Direction, Finding } from '../deployment/domain/domain-finding.ts';
import { afterCheck } from '../deployment/domain/domain-state.ts';
import { addDeployment } from '../store/deployments.ts';
import { domainOfAccount, putDomain, recordDomainCheck } from '../store/domains.ts';
import { addSession } from '../store/sessions.ts';
import { statePage } from './pages/site-pages.ts';
import { siteState, sitesOf } from './served-sites.ts';

const failing: Partial<Deployment> = {
  explanation: {
    kind: 'failed',
    pods: ['web'],
    because: 'Image registry.acme.test/private:7 does not exist',
    hint: 'its last lines may say why',
  },
  lastLines: ['connecting to db.pod as admin'],
  pods: [podStatusOf('web', { state: 'failed', message: 'health check /internal answered 500' })],
};

async function stateOf(deployment: Partial<Deployment>) {
  const db = await emptyStore();
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  const { label } = deploymentOf({});
  await addDeployment(db, deploymentOf({ expiresAt: null, ...deployment }));
  const requested = {
    host: `${label}.apps.test`,
    appsDomain: 'apps.test',
    baseUrl: new URL('https://berth.test'),
    now: 1,
  };
  const site = await siteState(db, requested);
  assert.ok(site);
  await db.destroy();
  return site;
}

for (const state of ['deploying', 'failed', 'running', 'expired'] as const) {
  test(`no visitor of a site that is ${state} reads a line of its pods, a reason or its configuration`, async () => {
    const site = await stateOf({ ...failing, state });
    for (const wantsHtml of [true, false]) {
      const { body } = statePage(site, { host: 'shop.apps.test', path: '/', wantsHtml });
      assert.doesNotMatch(body, /registry\.acme|private|connecting|admin|last lines|internal|answered 500/);
    }
  });
}

test('a visitor of a site on its way sees how far each pod is', async () => {
  const { pods } = await stateOf({
    ...failing,
    state: 'deploying',
    pods: [podStatusOf('web', { state: 'starting' })],
  });
  assert.deepEqual(pods, [{ name: 'web', state: 'starting' }]);
});

test('a site that runs without one of its pods is not all there; with one that only answers badly it is', async () => {
  const isIncompleteWith = async (state: 'ready' | 'degraded' | 'starting' | 'waiting') =>
    (await stateOf({ state: 'running', pods: [podStatusOf('db'), podStatusOf('web', { state })] })).isIncomplete;
  assert.deepEqual(await Promise.all((['ready', 'degraded', 'starting', 'waiting'] as const).map(isIncompleteWith)), [
    undefined,
    undefined,
    true,
    true,
  ]);
});

test('a custom domain that does not lead here alone is known as such, and one whose pod is away says so', async () => {
  const db = await emptyStore();
  await addAccount(db, 'ada');
  await addSession(db, { id: 'session', token: 'token', createdAt: 0, accountId: 'ada' });
  const { id } = deploymentOf({});
  await addDeployment(db, deploymentOf({ expiresAt: null }));
  const name = 'shop.example.com';
  const key = { name, accountId: 'ada' };
  await db.transaction().execute((db) => putDomain(db, { ...key, deploymentId: id, redirectTo: null, now: 0 }));
  const isElsewhere = async (direction: Direction) => {
    const finding: Finding = { proof: [{ server: 'ns1', said: 'proof' }], direction, wanted: [] };
    const before = (await domainOfAccount(db, key))!;
    const checked = afterCheck(before, finding, { now: 1, isFree: true, random: 0 });
    await db.transaction().execute((db) => recordDomainCheck(db, before, checked));
    const requested = { host: name, appsDomain: 'apps.test', baseUrl: new URL('https://berth.test'), now: 1 };
    return (await siteState(db, requested))?.isElsewhere;
  };
  assert.equal(await isElsewhere({ kind: 'elsewhere', addresses: ['198.51.100.9'] }), true);
  assert.equal(await isElsewhere({ kind: 'here' }), undefined);
  await db
    .updateTable('deployments')
    .set({ state: 'running', ownHosts: JSON.stringify([name]) })
    .execute();
  const site = await siteState(db, {
    host: name,
    appsDomain: 'apps.test',
    baseUrl: new URL('https://berth.test'),
    now: 1,
  });
  const { status, body } = statePage(site, { host: name, path: '/', wantsHtml: false });
  assert.deepEqual([status, JSON.parse(body).code], [503, 'application_incomplete'], 'its pod is away');
  await db.destroy();
});

test('the owner of a site that has failed finds the way to the reason', async () => {
  const site = await stateOf({ ...failing, state: 'failed' });
  const { environment, applicationName } = deploymentOf({});
  assert.equal(site.dashboardUrl, `https://berth.test/d/${environment}/${applicationName}`);
  assert.equal(site.pods, undefined);
});

test('a name that pods have for themselves shows those alone, and every other host the rest', () => {
  const web = { path: '/', address: '10.0.0.1', port: 80 };
  const admin = { path: '/', address: '10.0.0.2', port: 80, host: 'admin.example.com' };
  const domains = ['admin.example.com', 'example.com', 'lost.example.com'].map((name) => {
    return { name, redirectTo: null, isServed: name !== 'lost.example.com' };
  });
  const routes = { id: 'shop', label: 'tapir-shop', endpoints: [web, admin], ownHosts: ['admin.example.com'], domains };
  assert.deepEqual(sitesOf([routes], 'apps.test'), [
    { host: 'tapir-shop.apps.test', endpoints: [web] },
    { host: 'admin.example.com', endpoints: [admin] },
    { host: 'example.com', endpoints: [web] },
    { host: 'lost.example.com', endpoints: [] },
  ]);
  const away = sitesOf([{ ...routes, endpoints: [web] }], 'apps.test');
  assert.deepEqual(
    away.find(({ host }) => host === 'admin.example.com'),
    { host: 'admin.example.com', endpoints: [] },
    'while its pod is away it shows no other one',
  );
  assert.deepEqual(sitesOf([{ ...routes, domains: [] }], 'apps.test'), [
    { host: 'tapir-shop.apps.test', endpoints: [web] },
  ]);
});
