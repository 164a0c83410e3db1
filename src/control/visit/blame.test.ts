import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  database,
  images,
  type Shop,
  shopOnMemory,
  spec,
  web,
  withWeb,
} from '../../../test/support/controlled-deployment.ts';
import { specOf } from '../../../test/support/deployments.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';
import { EngineFault } from '../../engine/engine.ts';

/** The status as a client sees it. */
async function reported(shop: Shop) {
  const deployment = await shop.deployment();
  const { health, pods } = statusAt(deployment, shop.clock.now);
  return [health, ...pods.map(({ name, state, message }) => [name, state, message].filter(Boolean).join(' '))];
}

const slowDatabase = { ...images, 'postgres:15': { readyAfter: 1_000 } };
const missing = { isOnHost: false, pullFault: 'image-not-found' as const };

test('with an image that cannot be pulled, its pod has failed and an innocent one is still on its way', async () => {
  const shop = await shopOnMemory(withWeb('missing:1'), { ...slowDatabase, 'missing:1': missing });
  const expected = [
    'failed',
    'db starting does not listen on port 5432',
    'web failed Image missing:1: image-not-found',
  ];
  await shop.visit();
  assert.deepEqual(await reported(shop), ['failed', 'db starting', expected[2]]);
  // Each visit retries the pull.
  for (let times = 0; times < 3; times++) await shop.visit();
  assert.deepEqual(await reported(shop), expected);
  const states = (await shop.events()).filter((text) => text.startsWith('waiting: its image'));
  assert.equal(states.length, 1, 'it was on its way once, before it failed');
});

test('that a pod has failed for good is written together with the failure of its deployment', async () => {
  const shop = await shopOnMemory(withWeb('bad:1'), images);
  const meanwhile: unknown[] = [];
  await shop.visit((engine) => {
    const { logs } = engine;
    // The logs are read after the failure is known, and before it is reported.
    engine.logs = async (...requested) => {
      const { state, pods } = await shop.deployment();
      const failures = (await shop.events()).filter((text) => text.startsWith('failed'));
      meanwhile.push([state, pods.filter((pod) => pod.state === 'failed'), failures]);
      return await logs(...requested);
    };
  });
  assert.deepEqual(meanwhile, [['deploying', [], []]]);
  assert.equal((await reported(shop))[0], 'failed');
  const failures = (await shop.events()).filter((text) => text.startsWith('failed'));
  assert.equal(failures.length, 2, 'the event of the pod is not lost');
});

test('a failed pod whose image comes after all is ready with its deployment', async () => {
  const shop = await shopOnMemory(withWeb('missing:1'), { ...images, 'missing:1': missing });
  await shop.visit();
  shop.world.images.set('missing:1', {});
  await shop.visit();
  assert.deepEqual(await reported(shop), ['running', 'db ready', 'web ready']);
});

test('after a failed update the earlier revision serves, and its pods are shown', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'missing:1': missing });
  await shop.visit();
  await shop.update(withWeb('missing:1'));
  await shop.visit();
  assert.deepEqual(await reported(shop), ['serving', 'db ready', 'web ready']);
  const { revision, servingRevision, pods } = await shop.deployment();
  assert.deepEqual([revision, servingRevision, pods.map((pod) => pod.revision)], [2, 1, [1, 1]]);
});

test('of a failed update the events say in which revision the pods are ready', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'bad:1': { exitCode: 3 } });
  await shop.visit();
  await shop.update(withWeb('bad:1'));
  for (let times = 0; times < 3; times++) await shop.visit();
  assert.equal((await reported(shop))[0], 'serving');
  const ready = (await shop.events()).filter((text) => text.startsWith('ready'));
  assert.deepEqual(ready, ['ready', 'ready', 'ready in revision 1']);
});

test('when a failed deployment fails for another reason, that is reported too; a higher count of the same is not', async () => {
  const shop = await shopOnMemory(withWeb('missing:1'), { ...images, 'missing:1': missing });
  for (let times = 0; times < 3; times++) await shop.visit();
  const failures = async () => (await shop.events()).filter((text) => text.startsWith('failed: pod '));
  const first = 'failed: pod web: Image missing:1: image-not-found';
  assert.deepEqual(await failures(), [first]);
  shop.world.images.set('missing:1', { exitCode: 3 });
  for (let times = 0; times < 5; times++) await shop.visit();
  const [, second, ...more] = await failures();
  assert.match(second ?? '', /^failed: pod web: crash loop, restarted \d+ times, exited with code 3/);
  assert.deepEqual(more, []);
  assert.match((await shop.deployment()).message, /crash loop, restarted \d+ times, exited with code 3/);
});

test('a pod that is killed again and again while it serves is degraded, until it has been well for half an hour', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  for (let times = 0; times < 7; times++) {
    shop.clock.pass(60_000);
    await shop.visit((engine) => engine.crash('berth-shop-web-1-0', 137));
  }
  const restarting = 'web degraded keeps restarting: 7 times, last exited with code 137';
  assert.deepEqual(await reported(shop), ['degraded', 'db ready', restarting]);
  assert.equal((await shop.deployment()).state, 'running', 'it was never given up');
  shop.clock.pass(31 * 60_000);
  assert.deepEqual(await reported(shop), ['running', 'db ready', 'web ready']);
});

test('a failed pod shows the reason, and not that it is retried', async () => {
  for (const pullFault of ['registry-unreachable', 'image-not-found', 'image-access-denied'] as const) {
    const shop = await shopOnMemory(withWeb('missing:1'), { ...images, 'missing:1': { isOnHost: false, pullFault } });
    await shop.visit();
    const { state, message, pods } = await shop.deployment();
    assert.equal(state, 'failed');
    assert.doesNotMatch(`${message} ${JSON.stringify(pods)}`, /tried again/);
  }
});

test('secrets of the configuration are removed from messages of a pod', async () => {
  const leaky = specOf(database, { ...web, image: 'leaky:1', vars: { API_KEY: 'very-secret-0123' } });
  const shop = await shopOnMemory(leaky, { ...images, 'leaky:1': {} });
  await shop.visit((engine) => {
    const { observe } = engine;
    engine.observe = async (...requested) => {
      const observed = await observe(...requested);
      const workloads = observed.workloads.map((each) =>
        each.pod === 'web'
          ? {
              ...each,
              isReady: false,
              restarts: 5,
              notReadyBecause: 'no use of very-secret-0123',
              lastExit: { code: 1, reason: 'exited with code 1', at: 0 },
            }
          : each,
      );
      return { ...observed, workloads };
    };
  });
  const { pods } = await shop.deployment();
  assert.match(pods[1]?.message ?? '', /no use of/);
  assert.doesNotMatch(JSON.stringify(await shop.deployment()), /very-secret/);
});

test('a failed update is not retried, so the message does not announce a start', async () => {
  const hint = 'it starts as soon as its registry answers';
  const error = new EngineFault('registry-unreachable', 'The registry cannot be reached.', { image: 'nginx:2', hint });
  const away = { operation: 1, kind: 'pull', when: 'before', error } as const;
  const first = await shopOnMemory(withWeb('nginx:2'), images);
  await first.visit((engine) => engine.interrupt(away));
  assert.ok((await first.events()).includes(`failed: pod web: The registry cannot be reached (${hint})`));
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.update(withWeb('nginx:2'));
  await shop.visit((engine) => engine.interrupt(away));
  const { message } = await shop.deployment();
  assert.equal(message, 'pod web: The registry cannot be reached; revision 1 still serves');
});

test('when the revision that a failed update rolled back to crashes too, it is not reported as serving', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'missing:1': missing });
  await shop.visit();
  await shop.update(withWeb('missing:1'));
  await shop.visit();
  assert.match((await shop.deployment()).message, /; revision 1 still serves$/);
  shop.world.images.set('nginx:1', { exitCode: 3 });
  await shop.visit((engine) => engine.crash('berth-shop-web-1-0', 3));
  const { health, message } = statusAt(await shop.deployment(), shop.clock.now);
  assert.equal(health, 'failed');
  assert.equal(
    message,
    'pod web: Image missing:1: image-not-found; revision 1 has failed too: pod web: exited with code 3; since its restart: does not listen on port 80',
  );

  shop.world.images.set('nginx:1', {});
  await shop.visit((engine) => engine.crash('berth-shop-web-1-0', 3));
  assert.equal((await reported(shop))[0], 'serving');
  assert.match(statusAt(await shop.deployment(), shop.clock.now).message, /; revision 1 still serves$/);
});
