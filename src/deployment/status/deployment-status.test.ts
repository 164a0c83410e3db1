import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, observedOf, pod, podStatusOf, resolvedAt, specOf } from '../../../test/support/deployments.ts';
import type { PodStatus } from '../deployment.ts';
import { desiredAt } from '../desired.ts';
import type { ObservedWorkload } from '../workload/workload.ts';
import { type Circumstances, failedPods, judge, podStatuses, withoutFailures } from './deployment-status.ts';

const desired = desiredAt(
  deploymentOf({}),
  { number: 1, spec: specOf(pod('db'), pod('web', { path: '/', image: 'nginx:1', servicePorts: [80] })) },
  resolvedAt(0),
);
assert.ok(desired.kind === 'running');

const patience = { deadlineMs: 120_000, listenMs: 10_000 };
const clock = { now: 60_000, progressedAt: 0, patience, isRunning: false };

/** Observes the condition, with these additional fields of one pod's workload. */
function observe(condition: Parameters<typeof observedOf>[0], fields: Record<string, Partial<ObservedWorkload>> = {}) {
  const observed = observedOf({ desired, ...condition });
  return { ...observed, workloads: observed.workloads.map((each) => ({ ...each, ...fields[each.pod] })) };
}

const statusesOf = (observed: ReturnType<typeof observe>, circumstances: Partial<Circumstances> = {}) =>
  podStatuses(desired, observed, { now: 60_000, ...circumstances });
const inShort = (pods: PodStatus[]) =>
  pods.map(({ name, state, message }) => [name, state, message].filter(Boolean).join(' '));

test('each pod has a status in words, with its image, its revision, and its number of restarts', () => {
  const fresh = { restarts: 0, restartedAt: [], settledRestarts: [], revision: 1 };
  assert.deepEqual(
    statusesOf(observe({ ready: ['db'], starting: ['web'] }, { web: { hint: 'make it listen on 80' } })),
    [
      { name: 'db', state: 'ready', image: 'node:26-slim', ...fresh },
      {
        name: 'web',
        state: 'starting',
        message: 'does not listen on port 80 (make it listen on 80)',
        image: 'nginx:1',
        ...fresh,
      },
    ],
  );
});

test('the last end of a pod is shown while it runs, too', () => {
  const lastExit = { code: 137, reason: 'killed for memory (limit 96 MiB)', at: 50_000 };
  const [, web] = statusesOf(observe({ ready: ['db', 'web'] }, { web: { restarts: 7, lastExit } }));
  assert.deepEqual([web?.state, web?.restarts, web?.lastExit], ['ready', 7, lastExit]);
});

test('who was ready since its start, and is not any more, is degraded; after a restart it is starting', () => {
  const [ready, sick] = [observe({ ready: ['db', 'web'] }), observe({ ready: ['db'], starting: ['web'] })];
  const look = (observed: ReturnType<typeof observe>, before: PodStatus[], isServing = true) =>
    statusesOf(observed, { before, isServing });
  const well = look(ready, []);
  const degraded = 'web degraded does not listen on port 80';
  assert.equal(inShort(look(sick, well))[1], degraded);
  assert.equal(inShort(look(sick, look(sick, well)))[1], degraded, 'as long as it lasts');
  assert.equal(inShort(look(ready, look(sick, well)))[1], 'web ready');
  const starting = 'web starting does not listen on port 80';
  const restarted = observe({ ready: ['db'], starting: ['web'] }, { web: { restarts: 1 } });
  assert.equal(inShort(look(restarted, well))[1], starting);
  assert.equal(inShort(look(sick, []))[1], starting, 'no observation found it ready');
  assert.equal(inShort(look(sick, look(ready, [], false), false))[1], starting, 'its revision does not serve yet');
});

test('a pod whose image is on its way says so', () => {
  const pods = statusesOf(observe({ ready: ['db'] }), { pulling: new Map([['nginx:1', { share: 0 }]]) });
  assert.deepEqual(inShort(pods), ['db ready', 'web waiting its image is being downloaded']);
  const bytes = { doneBytes: 34, totalBytes: 120 };
  const [, web] = statusesOf(observe({ ready: ['db'] }), { pulling: new Map([['nginx:1', { share: 0.2, bytes }]]) });
  assert.deepEqual(web?.pulling, bytes);
});

test('who is blamed has failed; who is still on the way, or waits, has not', () => {
  const blamed = new Map([['web', 'Image nginx:1 does not exist']]);
  assert.deepEqual(inShort(statusesOf(observe({ starting: ['db'] }), { blamed })), [
    'db starting does not listen on port 80',
    'web failed Image nginx:1 does not exist',
  ]);
});

test('who made a deployment fail stays failed while its image is tried again, until it is ready', () => {
  const before = statusesOf(observe({ starting: ['db'] }), {
    blamed: new Map([['web', 'Image nginx:1 does not exist']]),
  });
  const later = { before, hasFailed: true, pulling: new Map([['nginx:1', { share: 0 }]]) };
  assert.deepEqual(inShort(statusesOf(observe({ ready: ['db'] }), later)), [
    'db ready',
    'web failed Image nginx:1 does not exist',
  ]);
  assert.deepEqual(inShort(statusesOf(observe({ ready: ['db', 'web'] }), later)), ['db ready', 'web ready']);
  const updated = { before, hasFailed: false };
  assert.deepEqual(inShort(statusesOf(observe({ ready: ['db'] }), updated)), ['db ready', 'web waiting']);
});

test('of two pods that are not ready, the one that crashes is to blame, and at the deadline each that was started', () => {
  const crashed = { restarts: 5, lastExit: { code: 3, reason: 'exited with code 3', at: 0 } };
  const blamed = (observed: ReturnType<typeof observe>, now = 60_000) =>
    [...failedPods(desired, observed, { ...clock, now }, []).keys()].join(' ');
  assert.equal(blamed(observe({ starting: ['db', 'web'] }, { web: crashed })), 'web');
  assert.equal(blamed(observe({ starting: ['db', 'web'] })), '');
  assert.equal(blamed(observe({ starting: ['db', 'web'] }), 120_000), 'db web');
  assert.equal(blamed(observe({ starting: ['db'] }), 120_000), 'db');
});

test('restarts before a pod was last well are not held against it', () => {
  const crashed = { restarts: 5, lastExit: { code: 3, reason: 'exited with code 3', at: 0 } };
  const well = statusesOf(observe({ ready: ['db', 'web'] }, { web: crashed }), { isServing: true });
  const runs = { ...clock, isRunning: true };
  const atRestarts = (restarts: number) =>
    judge(desired, observe({ ready: ['db'], starting: ['web'] }, { web: { ...crashed, restarts } }), runs, well).kind;
  assert.deepEqual([atRestarts(6), atRestarts(9), atRestarts(10)], ['pending', 'pending', 'given-up']);
});

test('once another revision is requested, no pod counts as failed, and serving ones continue', () => {
  const db = podStatusOf('db', { settledRestarts: [1], restartedAt: [5] });
  const why = { message: 'listens on 3000, not on 80', healthCheckBody: 'no' };
  const failed = podStatusOf('web', { state: 'failed', restarts: 2, ...why });
  assert.deepEqual(withoutFailures([db, failed]), [db, podStatusOf('web', { state: 'waiting', restarts: 2 })]);
});
