import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, observedOf, pod, specOf } from '../../../test/support/deployments.ts';
import {
  database,
  running,
  second,
  serving,
  shop,
  spec,
  updated,
  volume,
  web,
} from '../../../test/support/planned-shop.ts';
import type { Deployment } from '../deployment.ts';
import { describePlan } from './operation.ts';
import { plan } from './plan.ts';

test('an update replaces a statefulset with volumes one replica after another', () => {
  const stateful = pod('db', { resourceType: 'statefulset', replicas: 2, volumes: [volume('data')] });
  const old = observedOf({ desired: running(shop, specOf(stateful)), ready: ['db'], images: ['node:26-slim'] });
  const desired = running(updated, specOf({ ...stateful, vars: { A: '1' } }));
  assert.equal(
    describePlan(plan(desired, old, [])),
    'remove berth-shop-db-1-0, its volumes pass to the next revision\nstart berth-shop-db-2-0, revision 2',
  );
});

test('an update starts the new revision next to the old one and leaves an unchanged pod alone', () => {
  const observed = observedOf({ desired: running(), ready: ['db', 'web'] });
  assert.equal(describePlan(plan(running(updated, second), observed, serving)), 'pull nginx:2, not on this host');
  const pulled = { ...observed, images: { present: ['nginx:2'], local: ['nginx:2'] } };
  assert.equal(describePlan(plan(running(updated, second), pulled, serving)), 'start berth-shop-web-2-0, revision 2');
});

test('the old serves until the new is ready; then it drains and goes', () => {
  const old = observedOf({ desired: running(), ready: ['db', 'web'] });
  const desired = running(updated, second);
  const starting = observedOf({ desired, starting: ['web'], additional: old });
  assert.deepEqual(plan(desired, starting, serving), []);
  const ready = observedOf({ desired, ready: ['web'], additional: old });
  assert.equal(
    describePlan(plan(desired, ready, serving)),
    `route /→${address('web', 2)}:80, revision 2\ndrain ${address('web', 1)}, revision 2\nremove berth-shop-web-1-0, outdated`,
  );
});

test('pods that no visitor reaches are not drained', () => {
  const worker = pod('worker', { image: 'nginx:1' });
  const old = observedOf({ desired: running(shop, specOf(web, worker)), ready: ['web', 'worker'] });
  const desired = running(updated, specOf(web, { ...worker, vars: { A: '1' } }));
  const ready = observedOf({ desired, ready: ['worker'], additional: old });
  assert.equal(describePlan(plan(desired, ready, serving)), 'remove berth-shop-worker-1-0, outdated');
});

test('a pod with volumes stops before its next revision starts', () => {
  const changed = specOf({ ...database, image: 'postgres:16' }, web);
  const observed = observedOf({ desired: running(), ready: ['db', 'web'], images: ['postgres:16'] });
  assert.equal(
    describePlan(plan(running(updated, changed), observed, serving)),
    'remove berth-shop-db-1-0, its volumes pass to the next revision\nstart berth-shop-db-2-0, revision 2',
  );
});

test('an ended job is kept next to its next revision, which gets its volumes', () => {
  const job = pod('seed', { resourceType: 'job', image: 'node:26-slim', volumes: [volume('data')] });
  const first = running(shop, specOf(job));
  const next = running(updated, specOf({ ...job, vars: { A: '1' } }));
  const observe = (condition: object) => observedOf({ desired: first, images: ['node:26-slim'], ...condition });
  assert.equal(describePlan(plan(next, observe({ exited: ['seed'] }), [])), 'start berth-shop-seed-2-0, revision 2');
  assert.match(describePlan(plan(next, observe({ starting: ['seed'] }), [])), /^remove berth-shop-seed-1-0/);
});

test('the edge lets go of a pod with volumes before it stops', () => {
  const shared = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80], volumes: [volume('data')] });
  const docs = pod('docs', { image: 'nginx:1', path: '/docs', servicePorts: [80] });
  const first = running(shop, specOf(shared, docs));
  const observed = observedOf({ desired: first, ready: ['web', 'docs'], images: ['nginx:1', 'nginx:2'] });
  const served = [...serving, { path: '/docs', address: address('docs', 1), port: 80 }];
  const next = running(updated, specOf({ ...shared, image: 'nginx:2' }, docs));
  assert.equal(
    describePlan(plan(next, observed, served)),
    [
      `route /docs→${address('docs', 1)}:80, the rest stops`,
      'remove berth-shop-web-1-0, its volumes pass to the next revision',
      'start berth-shop-web-2-0, revision 2',
    ].join('\n'),
  );
});

test('without its network everything is made again but the jobs that are done', () => {
  const job = specOf(web, pod('seed', { resourceType: 'job' }));
  const desired = running(shop, job);
  const done = observedOf({ desired, ready: ['web'], images: ['nginx:1'], network: false });
  const exited = observedOf({ desired, exited: ['seed'] }).workloads.map((seed) => ({ ...seed, isReady: true }));
  const observed = { ...done, workloads: [...done.workloads, ...exited] };
  assert.equal(
    describePlan(plan(desired, observed, serving)),
    'route nothing, the network is gone\nremove berth-shop-web-1-0, its network is gone',
  );
  assert.equal(
    describePlan(plan(desired, { ...observed, workloads: exited }, [])),
    'create-network, missing\nstart berth-shop-web-1-0, revision 1',
  );
});

test('what starts gets no address that the edge has for another pod', () => {
  const desired = running();
  const observed = observedOf({ images: ['postgres:15', 'nginx:1'], network: true });
  const starts = plan(desired, observed, serving).filter(({ kind }) => kind === 'start');
  assert.deepEqual(
    starts.map((operation) => 'avoid' in operation && operation.avoid),
    [[address('web', 1)], false],
  );
});

test('revisions that never served leave nothing next to the following one', () => {
  const failed = observedOf({ desired: running(), ready: ['db'], starting: ['web'] });
  assert.equal(
    describePlan(plan(running({ ...shop, revision: 2 }, second), failed, [])),
    'remove berth-shop-web-1-0, outdated',
  );
  for (const [deployment, endpoints] of [
    [updated, []],
    // The revision was routed, but the store does not show yet that it serves.
    [{ ...shop, revision: 2 }, serving],
  ] as const)
    assert.match(describePlan(plan(running(deployment, second), failed, [...endpoints])), /^pull nginx:2/);
});

test('a failed update goes back to the revision that served', () => {
  const failed: Deployment = { ...updated, state: 'failed', servingRevision: 1 };
  const old = observedOf({ desired: running(), ready: ['db', 'web'] });
  const observed = observedOf({ desired: running(updated, second), starting: ['web'], additional: old });
  assert.equal(
    describePlan(plan(running(failed, spec, 1), observed, serving)),
    `drain ${address('web', 2)}, revision 1\nremove berth-shop-web-2-0, outdated`,
  );
});
