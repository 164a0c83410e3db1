import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, observedOf, pod, resolvedAt, specOf } from '../../../test/support/deployments.ts';
import {
  database,
  made,
  now,
  running,
  serving,
  shop,
  spec,
  updated,
  volume,
  web,
} from '../../../test/support/planned-shop.ts';
import type { Deployment } from '../deployment.ts';
import { desiredAt } from '../desired.ts';
import { noEgress } from '../workload/egress.ts';
import { batchesOf, describePlan } from './operation.ts';
import { plan } from './plan.ts';

test('a new deployment gets its network and volumes, and starts its database first', () => {
  const text = describePlan(plan(running(), observedOf({ images: ['postgres:15', 'nginx:1'] }), []));
  assert.equal(
    text,
    [...made, 'start berth-shop-db-1-0, revision 1', 'start berth-shop-web-1-0, revision 1'].join('\n'),
  );
});

test('an image that is missing is pulled; what it is, is known then, and it starts before the next one is pulled', () => {
  assert.equal(
    describePlan(plan(running(), observedOf({}), [])),
    [...made, 'pull postgres:15, not on this host'].join('\n'),
  );
  const images = { 'postgres:15': 'postgres@sha256:1' };
  const pulled = desiredAt(shop, { number: 1, spec, images }, resolvedAt(now));
  const observed = observedOf({ images: ['postgres@sha256:1'], localImages: [] });
  assert.equal(
    describePlan(plan(pulled, observed, [])),
    [...made, 'start berth-shop-db-1-0, revision 1', 'pull nginx:1, not on this host'].join('\n'),
  );
});

test('registries are queried once per revision, about all local tags, and not about pinned or local images', () => {
  const spec = specOf(
    pod('local', { image: 'node:26-slim' }),
    pod('pinned', { image: 'redis@sha256:7' }),
    pod('db', { image: 'postgres:15' }),
    pod('web', { image: 'nginx:1' }),
  );
  const observed = observedOf({
    images: ['node:26-slim', 'redis@sha256:7', 'postgres:15', 'nginx:1', 'nginx@sha256:new'],
    localImages: ['node:26-slim'],
    network: true,
  });
  assert.equal(
    describePlan(plan(running(shop, spec), observed, [])),
    [
      'start berth-shop-local-1-0, revision 1',
      'start berth-shop-pinned-1-0, revision 1',
      'check postgres:15 nginx:1, tags may have moved',
    ].join('\n'),
  );
  const images = { 'postgres:15': 'postgres@sha256:new', 'nginx:1': 'nginx@sha256:new' };
  const settled = desiredAt(shop, { number: 1, spec, images }, resolvedAt(now));
  const rest = describePlan(plan(settled, observed, []))
    .split('\n')
    .slice(2);
  assert.deepEqual(rest, [
    'pull postgres@sha256:new, not on this host',
    'start berth-shop-db-1-0, revision 1',
    'start berth-shop-web-1-0, revision 1',
  ]);
});

test('registries are queried while the network is created', () => {
  const operations = plan(running(), observedOf({ images: ['postgres:15', 'nginx:1'], localImages: [] }), []);
  const kinds = batchesOf(operations).map((batch) => batch.map(({ kind }) => kind).join('+'));
  assert.deepEqual(kinds, ['create-network+check', 'create-volume']);
});

test('an image comes while the network is made', () => {
  const operations = plan(running(), observedOf({ images: [] }), []);
  const batches = batchesOf(operations).map((batch) => batch.map(({ kind }) => kind).join('+'));
  assert.deepEqual(batches, ['create-network+pull', 'create-volume']);
});

test('a pod whose tag has moved is replaced by an update, and one whose tag has not is left alone', () => {
  const at = (number: number, images: Record<string, string>) =>
    desiredAt({ ...shop, revision: number, servingRevision: 1 }, { number, spec, images }, resolvedAt(now));
  const first = at(1, { 'postgres:15': 'postgres@sha256:1', 'nginx:1': 'nginx@sha256:1' });
  const images = ['postgres@sha256:1', 'nginx@sha256:1', 'nginx@sha256:2', 'postgres:15', 'nginx:1'];
  const observed = { ...observedOf({ desired: first, ready: ['db', 'web'], images, localImages: [] }) };
  assert.equal(
    describePlan(plan(running(updated, spec, 2), observed, serving)),
    'check postgres:15 nginx:1, tags may have moved',
  );
  const second = at(2, { 'postgres:15': 'postgres@sha256:1', 'nginx:1': 'nginx@sha256:2' });
  assert.equal(describePlan(plan(second, observed, serving)), 'start berth-shop-web-2-0, revision 2');
});

test('nothing is routed while a pod is not ready', () => {
  const observed = observedOf({ desired: running(), ready: ['db'], starting: ['web'] });
  assert.deepEqual(plan(running(), observed, []), []);
});

test('when all pods are ready, the public paths are routed, and a second pass does nothing', () => {
  const observed = observedOf({ desired: running(), ready: ['db', 'web'] });
  const first = plan(running(), observed, []);
  assert.equal(describePlan(first), `route /→${address('web', 1)}:80, revision 1`);
  assert.deepEqual(plan(running(), observed, [{ path: '/', address: address('web', 1), port: 80 }]), []);
});

test('a pod waits until those that it depends on are ready', () => {
  const waiting = specOf(database, { ...web, dependsOn: ['db'] });
  const desired = running(shop, waiting);
  assert.equal(describePlan(plan(desired, observedOf({ desired, starting: ['db'] }), [])), '');
  assert.match(
    describePlan(plan(desired, observedOf({ desired, ready: ['db'], images: ['nginx:1'] }), [])),
    /start berth-shop-web-1-0/,
  );
});

test('replicas of a statefulset start one after another, each when those before it are ready', () => {
  const stateful = pod('db', { resourceType: 'statefulset', replicas: 3, volumes: [volume('data')] });
  const desired = running(shop, specOf(stateful));
  const observe = (...ready: boolean[]) => {
    const observed = observedOf({ desired, starting: ['db'], images: ['node:26-slim'] });
    const workloads = ready.map((isReady, replica) => ({ ...observed.workloads[replica]!, isReady }));
    return { ...observed, workloads };
  };
  const starts = (...ready: boolean[]) => describePlan(plan(desired, observe(...ready), []));
  assert.equal(starts(), 'start berth-shop-db-1-0, revision 1');
  assert.equal(starts(false), '');
  assert.equal(starts(true), 'start berth-shop-db-1-1, revision 1');
  assert.equal(starts(true, false), '');
  assert.equal(starts(true, true), 'start berth-shop-db-1-2, revision 1');
  assert.equal(starts(true, true, true), '');
});

test('a workload that a crash left created but not started is started under its own name', () => {
  const observed = observedOf({ desired: running(), ready: ['db'], created: ['web'], images: ['nginx:1'] });
  assert.equal(describePlan(plan(running(), observed, [])), 'start berth-shop-web-1-0, created');
});

test('a service that was stopped behind our back is started again, a job that ended is not', () => {
  const job = specOf(web, pod('seed', { resourceType: 'job' }));
  const desired = running(shop, job);
  const observed = observedOf({ desired, exited: ['web', 'seed'], images: ['nginx:1'] });
  assert.equal(describePlan(plan(desired, observed, [])), 'start berth-shop-web-1-0, exited');
});

test('a service that is done is not started again, and one that has ended badly is', () => {
  const desired = running(shop, specOf(web, pod('seed', { container: { mayEnd: true } })));
  const observed = observedOf({ desired, ready: ['web'], exited: ['seed'], images: ['nginx:1', 'node:26-slim'] });
  const isDone = (isReady: boolean) => ({
    ...observed,
    workloads: observed.workloads.map((each) => (each.pod === 'seed' ? { ...each, isReady } : each)),
  });
  assert.match(describePlan(plan(desired, isDone(false), [])), /start berth-shop-seed-1-0, exited/);
  assert.doesNotMatch(describePlan(plan(desired, isDone(true), [])), /start|remove/);
});

test('an expired deployment loses its route, then every workload, volume and its network', () => {
  const observed = observedOf({ desired: running(), ready: ['db', 'web'] });
  const expired = desiredAt(shop, { number: 1, spec }, resolvedAt(now + 1000));
  assert.equal(
    describePlan(plan(expired, observed, serving)),
    [
      'route nothing, expired',
      'remove berth-shop-db-1-0, expired',
      'remove berth-shop-web-1-0, expired',
      'remove-volume db-data, expired',
      'remove-network, expired',
    ].join('\n'),
  );
  assert.deepEqual(plan(expired, observedOf({ network: false }), []), []);
  const left = { ...observedOf({ network: false }), volumes: ['db-data'] };
  assert.equal(describePlan(plan(expired, left, [])), 'remove-volume db-data, expired');
});

test('a held or claimed deployment outlives its time limit', () => {
  for (const kept of [
    { ...shop, heldAt: now },
    { ...shop, expiresAt: null },
  ]) {
    assert.equal(desiredAt(kept, { number: 1, spec }, resolvedAt(now + 1000)).kind, 'running');
  }
});

test('what has ended stays so, though the clock is set back or an extension comes too late', () => {
  const ended: Deployment = { ...shop, state: 'expired' };
  assert.equal(desiredAt(ended, { number: 1, spec }, resolvedAt(now)).kind, 'gone');
  assert.equal(desiredAt({ ...ended, expiresAt: null }, { number: 1, spec }, resolvedAt(now)).kind, 'gone');
});

test('a removal takes its workloads at once, then its volumes, then its network', () => {
  const observed = observedOf({ desired: running(), ready: ['db', 'web'] });
  const gone = plan(desiredAt(shop, { number: 1, spec }, resolvedAt(now + 1000)), observed, serving);
  const kinds = batchesOf(gone).map((batch) => batch.map(({ kind }) => kind).join('+'));
  assert.deepEqual(kinds, ['route', 'remove+remove', 'remove-volume', 'remove-network']);
});

test('the egress of a network follows the plan of its account, without a restart', () => {
  const desired = desiredAt(shop, { number: 1, spec }, { ...resolvedAt(now), egress: noEgress });
  const observed = observedOf({ desired, ready: ['db', 'web'] });
  const planFor = (egress?: string) => describePlan(plan(desired, { ...observed, ...(egress && { egress }) }, serving));
  assert.equal(planFor('open'), 'set-egress none, now open');
  assert.equal(planFor('none'), '');
  // The engine has no firewall to update.
  assert.equal(planFor(), '');
});

test('each start says which others its revision has, also those that start later', () => {
  const operations = plan(running(), observedOf({ images: ['postgres:15', 'nginx:1'] }), []);
  const starts = operations.flatMap((operation) => (operation.kind === 'start' ? [operation] : []));
  assert.deepEqual(
    starts.map(({ workload, neighbours }) => [workload.pod, neighbours?.map((each) => `${each.pod} ${each.ports}`)]),
    [
      ['db', ['db 5432', 'web 80']],
      ['web', ['db 5432', 'web 80']],
    ],
  );
});

test('a paused workload continues, and nothing else is done before', () => {
  const observed = observedOf({ desired: running(), ready: ['db', 'web'], images: ['postgres:15', 'nginx:1'] });
  const workloads = observed.workloads.map((each) => ({ ...each, tampering: 'paused' as const }));
  const operations = plan(running(), { ...observed, workloads }, serving);
  assert.equal(describePlan(operations), 'thaw berth-shop-db-1-0, paused\nthaw berth-shop-web-1-0, paused');
  assert.equal(batchesOf(operations).length, 1, 'all at once');
});

for (const tampering of ['off-network', 'on-other-network', 'limits'] as const)
  test(`a workload with the tampering ${tampering} is started again, and nothing else is done`, () => {
    const observed = observedOf({ desired: running(), ready: ['db', 'web'], images: ['postgres:15', 'nginx:1'] });
    const workloads = observed.workloads.map((each) => (each.pod === 'web' ? { ...each, tampering } : each));
    assert.equal(
      describePlan(plan(running(), { ...observed, workloads }, serving)),
      `start berth-shop-web-1-0, ${tampering}`,
    );
  });
