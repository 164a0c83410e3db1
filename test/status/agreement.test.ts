/** After any history of a deployment, every place that shows its status shows the result of the one function. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deploymentRecord } from '../../src/api/deployments/deployment-records.ts';
import type { Deployment, PodStatus } from '../../src/deployment/deployment.ts';
import { statusAt } from '../../src/deployment/status/deployment-health.ts';
import { statePage } from '../../src/edge/pages/site-pages.ts';
import { siteState } from '../../src/edge/served-sites.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { addSession } from '../../src/store/sessions.ts';
import { journeyOf } from '../../web/src/deployment/steps.ts';
import { deploymentOf, podStatusOf } from '../support/deployments.ts';
import { emptyStore } from '../support/empty-store.ts';
import { streamedEvents } from '../support/streamed-events.ts';

const url = new URL('http://jolly-tapir-shop.apps.test');
const limits = { lifetimeMs: 1, extensionMs: 1, extensions: 2 };
const now = 10_000_000;

const instant = fc.integer({ min: now - 3_600_000, max: now });
const podStatus = (name: string) =>
  fc
    .record(
      {
        state: fc.constantFrom<PodStatus['state']>('waiting', 'starting', 'ready', 'degraded', 'failed'),
        message: fc.constant('does not listen on port 80'),
        restarts: fc.nat({ max: 9 }),
        restartedAt: fc.array(instant, { maxLength: 5 }),
        lastExit: fc.record({ code: fc.nat({ max: 255 }), reason: fc.constant('exited'), at: instant }),
      },
      { requiredKeys: ['state', 'restarts', 'restartedAt'] },
    )
    .map((fields) => podStatusOf(name, fields));

const deployment: fc.Arbitrary<Deployment> = fc
  .record({
    state: fc.constantFrom<Deployment['state']>('deploying', 'running', 'failed', 'expired'),
    revision: fc.integer({ min: 1, max: 3 }),
    servingRevision: fc.option(fc.integer({ min: 1, max: 3 })),
    pods: fc.tuple(podStatus('db'), podStatus('web')),
    expiresAt: fc.constantFrom(null, now, now + 1),
    removedAt: fc.constantFrom(null, null, now - 1),
  })
  .map(deploymentOf);

/** As the dashboard draws each state of a pod in its steps. */
const stepOf = { waiting: 'waiting', starting: 'now', ready: 'done', degraded: 'degraded', failed: 'failed' } as const;

test('API, steps and host page show the health and the states of pods that the one function returns', async () => {
  const requested = streamedEvents([[0, { kind: 'intent', intent: 'start', revision: 1 }]]);
  await fc.assert(
    fc.asyncProperty(deployment, async (shop) => {
      const { health, pods } = statusAt(shop, now);
      const { status } = deploymentRecord(shop, url, { limits, graceMs: 0, now });
      assert.equal(status.health, health);
      assert.deepEqual(
        status.pods?.map(({ name, state, message }) => [name, state, message]),
        pods.map(({ name, state, message }) => [name, state, message]),
      );
      const steps = journeyOf(requested, status)!.steps;
      if (status.state !== 'deploying')
        assert.deepEqual(
          pods.map(({ name }) => steps.find((step) => step.name === name)?.state),
          pods.map(({ state }) => stepOf[state]),
        );

      const page = await pageOf(shop);
      assert.equal(page.state, shop.removedAt === null ? health : 'removed');
      for (const reported of page.pods ?? [])
        assert.equal(reported.state, pods.find(({ name }) => name === reported.name)?.state);
      // A page that says that it could not start is one of a deployment that does not serve.
      assert.equal(page.code === 'application_failed', page.state === 'failed');
    }),
    { numRuns: 200 },
  );
});

test('health is the state, or one of two values that refine it', () => {
  const finer = { running: ['running', 'degraded'], failed: ['failed', 'serving'], deploying: ['deploying'] };
  fc.assert(
    fc.property(deployment, (shop) => {
      const { health, pods } = statusAt(shop, now);
      if (shop.state === 'expired' || shop.removedAt !== null || shop.expiresAt === now) {
        assert.equal(health, 'expired');
        return;
      }
      assert.ok(finer[shop.state].includes(health), `${shop.state}: ${health}`);
      assert.equal(health === 'running', shop.state === 'running' && pods.every(({ state }) => state === 'ready'));
      const isLive = (state: string) => state === 'ready' || state === 'degraded';
      if (health === 'serving')
        assert.ok(pods.every(({ state, revision }) => isLive(state) || revision > shop.servingRevision!));
    }),
  );
});

async function pageOf(
  shop: Deployment,
): Promise<{ state: string; code: string; pods?: { name: string; state: string }[] }> {
  const db = await emptyStore();
  await addSession(db, { id: shop.sessionId, token: 'token', createdAt: 0 });
  await addDeployment(db, shop);
  const where = {
    host: `${shop.label}.apps.test`,
    appsDomain: 'apps.test',
    baseUrl: new URL('http://berth.test'),
    now,
  };
  const site = await siteState(db, where);
  await db.destroy();
  return JSON.parse(statePage(site, { host: where.host, path: '/', wantsHtml: false }).body);
}
