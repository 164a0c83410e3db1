import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desiredAt } from './desired.ts';
import { progressOf } from './progress.ts';
import { judge, podStatuses } from './status.ts';
import { deploymentOf, observedOf, pod, specOf, url } from './testing.ts';

const desired = desiredAt(
  deploymentOf({}),
  { number: 1, spec: specOf(pod('db'), pod('web', { path: '/', image: 'nginx:1', servicePorts: [80] })) },
  url,
  0,
);
assert.ok(desired.kind === 'running');
const images = ['node:26-slim', 'nginx:1'];
const clock = { now: 60_000, progressedAt: 0, deadlineMs: 120_000 };

test('progress follows the steps that are done: pulled bytes, starts, readiness; 100 is for what is routed', () => {
  const steps = [
    progressOf(desired, observedOf({ desired }), new Map()),
    progressOf(desired, observedOf({ desired }), new Map([['nginx:1', 0.5]])),
    progressOf(desired, observedOf({ desired, images }), new Map()),
    progressOf(desired, observedOf({ desired, images, starting: ['db'] }), new Map()),
    progressOf(desired, observedOf({ desired, images, ready: ['db'], starting: ['web'] }), new Map()),
    progressOf(desired, observedOf({ desired, images, ready: ['db', 'web'] }), new Map()),
  ];
  assert.deepEqual(steps, [0, 10, 42, 50, 78, 99]);
});

test('each pod has a status in words', () => {
  assert.deepEqual(podStatuses(desired, observedOf({ desired, ready: ['db'], starting: ['web'] })), [
    { name: 'db', state: 'ready' },
    { name: 'web', state: 'starting', message: 'port 80 refuses connections' },
  ]);
});

test('a deployment is pending until its deadline, and then given up with the pod that holds it up', () => {
  const observed = observedOf({ desired, ready: ['db'], starting: ['web'] });
  assert.deepEqual(judge(desired, observed, clock), { kind: 'pending' });
  assert.deepEqual(judge(desired, observed, { ...clock, now: 120_000 }), {
    kind: 'given-up',
    because: 'pod web: port 80 refuses connections, and nothing has moved for 2 min',
    workload: 'berth-shop-web-1-0',
  });
});

test('a pod that crashes again and again is given up before the deadline', () => {
  const observed = observedOf({ desired, ready: ['db'], starting: ['web'] });
  const crashing = observed.workloads.map((workload) =>
    workload.pod === 'web' ? { ...workload, restarts: 5, notReadyBecause: 'exited with code 3' } : workload,
  );
  assert.deepEqual(judge(desired, { ...observed, workloads: crashing }, clock), {
    kind: 'given-up',
    because: 'pod web: exited with code 3 (restarted 5 times)',
    workload: 'berth-shop-web-1-0',
  });
});

test('a job that failed is given up, one that ended well is ready', () => {
  const jobs = desiredAt(deploymentOf({}), { number: 1, spec: specOf(pod('seed', { resourceType: 'job' })) }, url, 0);
  assert.ok(jobs.kind === 'running');
  assert.equal(judge(jobs, observedOf({ desired: jobs, ready: ['seed'] }), clock).kind, 'ready');
  assert.equal(judge(jobs, observedOf({ desired: jobs, exited: ['seed'] }), clock).kind, 'given-up');
});
