import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, observedOf, pod, specOf } from '../../../test/support/deployments.ts';
import { database, running, serving, shop, volume, web } from '../../../test/support/planned-shop.ts';
import type { Running } from '../desired.ts';
import type { ObservedWorkload } from '../workload/workload.ts';
import { describePlan } from './operation.ts';
import { plan } from './plan.ts';

const restore = { id: 'restore', snapshotId: 'monday', fromDeploymentId: null, volumes: ['db-data'], filledKey: 'try' };

function restoring(spec = specOf(database, web)): Running {
  const desired = running(shop, spec);
  assert.ok(desired.kind === 'running');
  return { ...desired, restore };
}

/** The desired workloads, all ready. */
function allReady(desired: Running): ObservedWorkload[] {
  return desired.workloads.map(({ workload }) => ({
    name: workload.name,
    pod: workload.pod,
    revision: 1,
    replica: 0,
    fingerprint: workload.fingerprint,
    phase: 'running',
    isReady: true,
    restarts: 0,
    address: address(workload.pod, 1),
  }));
}

const planned = (desired: ReturnType<typeof restoring>, workloads: ObservedWorkload[]) =>
  describePlan(plan(desired, { ...observedOf({ network: true }), volumes: ['db-data'], workloads }, serving));

test('a restore first stops the pods that use the volume, then swaps the volume, before any other operation', () => {
  const desired = restoring();
  assert.equal(
    planned(desired, allReady(desired)),
    ['remove berth-shop-db-1-0, snapshot monday', 'swap-volumes db-data, snapshot monday'].join('\n'),
  );
});

test('a workload of another or an unwanted revision may use the volume, and stops too', () => {
  const desired = restoring();
  const [db, web] = allReady(desired) as [ObservedWorkload, ObservedWorkload];
  const old = { ...db, name: 'berth-shop-db-0-0', revision: 0, fingerprint: 'another' };
  const gone = {
    ...web,
    name: 'berth-shop-cache-1-0',
    pod: 'cache',
    fingerprint: 'third',
    address: address('cache', 1),
  };
  assert.equal(
    planned(desired, [web, old, gone]),
    [
      'remove berth-shop-db-0-0, snapshot monday',
      'remove berth-shop-cache-1-0, snapshot monday',
      'swap-volumes db-data, snapshot monday',
    ].join('\n'),
  );
});

test('a public pod that stops is left by the edge first; a job that has ended stays', () => {
  const desired = restoring(
    specOf(
      { ...database, name: 'db', path: '/' },
      pod('job', { image: 'job:1', resourceType: 'job', volumes: [{ ...volume('data'), isShared: true }] }),
    ),
  );
  desired.restore = { ...restore, volumes: ['db-data', 'shared.data'] };
  const [first, second] = allReady(desired) as [ObservedWorkload, ObservedWorkload];
  const workloads = [first, second].map((each) => (each.pod === 'job' ? { ...each, phase: 'exited' as const } : each));
  const db = workloads.find((each) => each.pod === 'db')!;
  const text = describePlan(
    plan(desired, { ...observedOf({ network: true }), volumes: ['db-data', 'shared.data'], workloads }, [
      { path: '/', address: db.address!, port: 5432 },
    ]),
  );
  assert.equal(
    text,
    [
      'route nothing, the rest stops',
      'remove berth-shop-db-1-0, snapshot monday',
      'swap-volumes db-data shared.data, snapshot monday',
    ].join('\n'),
  );
});

test('of one that is stopped nothing may use the volume any more before it is swapped', () => {
  const desired = restoring();
  const workloads = allReady(desired);
  const observed = { ...observedOf({ network: true }), volumes: ['db-data'], workloads };
  const planned = plan({ kind: 'stopped', restore }, observed, []).map(({ kind }) => kind);
  assert.deepEqual(planned, [...workloads.map(() => 'remove'), 'remove-network', 'swap-volumes']);
  assert.deepEqual(plan({ kind: 'stopped', restore }, observedOf({}), []), []);
});
