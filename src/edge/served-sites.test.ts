import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, podStatusOf } from '../../test/support/deployments.ts';
import { emptyStore } from '../../test/support/empty-store.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { addDeployment } from '../store/deployments.ts';
import { addSession } from '../store/sessions.ts';
import { statePage } from './pages/site-pages.ts';
import { siteState } from './served-sites.ts';

const failing: Partial<Deployment> = {
  explanation: {
    ...{ kind: 'failed', pods: ['web'], because: 'Image registry.acme.test/private:7 does not exist' },
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
  const asked = { host: `${label}.apps.test`, appsDomain: 'apps.test', baseUrl: new URL('https://berth.test'), now: 1 };
  const site = await siteState(db, asked);
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

test('the owner of a site that has failed finds the way to the reason', async () => {
  const site = await stateOf({ ...failing, state: 'failed' });
  const { environment, applicationName } = deploymentOf({});
  assert.equal(site.dashboardUrl, `https://berth.test/d/${environment}/${applicationName}`);
  assert.equal(site.pods, undefined);
});
