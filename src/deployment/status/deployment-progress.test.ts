import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, observedOf, pod, resolvedAt, specOf } from '../../../test/support/deployments.ts';
import { desiredAt } from '../desired.ts';
import { progressOf } from './deployment-progress.ts';
import { judge } from './deployment-status.ts';

const desired = desiredAt(
  deploymentOf({}),
  { number: 1, spec: specOf(pod('db'), pod('web', { path: '/', image: 'nginx:1', servicePorts: [80] })) },
  resolvedAt(0),
);
assert.ok(desired.kind === 'running');
const images = ['node:26-slim', 'nginx:1'];
const patience = { deadlineMs: 120_000, listenMs: 30_000 };
const clock = { now: 60_000, progressedAt: 0, patience, isRunning: false };

test('progress follows the steps that are done: pulled bytes, starts, readiness; 100 is for what is routed', () => {
  const steps = [
    progressOf(desired, observedOf({ desired }), new Map()),
    progressOf(desired, observedOf({ desired }), new Map([['nginx:1', { share: 0.5 }]])),
    progressOf(desired, observedOf({ desired, images }), new Map()),
    progressOf(desired, observedOf({ desired, images, starting: ['db'] }), new Map()),
    progressOf(desired, observedOf({ desired, images, ready: ['db'], starting: ['web'] }), new Map()),
    progressOf(desired, observedOf({ desired, images, ready: ['db', 'web'] }), new Map()),
  ];
  assert.deepEqual(steps, [0, 10, 42, 50, 78, 99]);
});

test('a deployment is pending until its deadline, and then given up with the pod that holds it up', () => {
  const observed = observedOf({ desired, ready: ['db'], starting: ['web'] });
  assert.deepEqual(judge(desired, observed, clock), { kind: 'pending', lookAgainAt: 120_000 });
  assert.deepEqual(judge(desired, observed, { ...clock, now: 120_000 }), {
    kind: 'given-up',
    pods: ['web'],
    because: 'does not listen on port 80, and nothing has changed for 2 min',
    workload: 'berth-shop-web-1-0',
  });
});

test('a pod that crashes again and again is given up before the deadline', () => {
  const observed = observedOf({ desired, ready: ['db'], starting: ['web'] });
  const crashing = observed.workloads.map((workload) =>
    workload.pod === 'web'
      ? { ...workload, restarts: 5, lastExit: { code: 3, reason: 'exited with code 3', at: 0 } }
      : workload,
  );
  assert.deepEqual(judge(desired, { ...observed, workloads: crashing }, clock), {
    kind: 'given-up',
    pods: ['web'],
    because: 'exited with code 3',
    repeated: 'crash loop, restarted 5 times',
    workload: 'berth-shop-web-1-0',
  });
});

test('a pod that runs once more after unobserved crashes is pending until its end is known', () => {
  const observed = observedOf({ desired, ready: ['db'], starting: ['web'] });
  const workloads = observed.workloads.map((each) => (each.pod === 'web' ? { ...each, restarts: 5 } : each));
  assert.equal(judge(desired, { ...observed, workloads }, clock).kind, 'pending');
});

test('a pod that listens elsewhere fails after its patience, and is checked more often until then', () => {
  const observe = (since: number) => {
    const observed = observedOf({ desired, ready: ['db'], starting: ['web'] });
    const elsewhere = {
      notReadyBecause: 'listens on 81, not on 80',
      hint: 'make it listen on 80',
      stuck: { by: 'listening' as const, since },
    };
    const workloads = observed.workloads.map((each) => (each.isReady ? each : { ...each, ...elsewhere }));
    return { ...observed, workloads };
  };
  assert.deepEqual(judge(desired, observe(50_000), clock), { kind: 'pending', lookAgainAt: 66_000 });
  assert.deepEqual(judge(desired, observe(30_000), clock), {
    kind: 'given-up',
    pods: ['web'],
    because: 'listens on 81, not on 80, unchanged for 30 s',
    hint: 'make it listen on 80',
    workload: 'berth-shop-web-1-0',
  });
  assert.equal(judge(desired, observe(30_000), { ...clock, isRunning: true }).kind, 'pending', 'one that has run');
});

test('the reason says how often a pod restarted', () => {
  const repeated = (restarts: number) => {
    const observed = observedOf({ desired, ready: ['db'], starting: ['web'] });
    const workloads = observed.workloads.map((each) => (each.pod === 'web' ? { ...each, restarts } : each));
    const verdict = judge(desired, { ...observed, workloads }, { ...clock, now: 120_000 });
    return verdict.kind === 'given-up' ? verdict.repeated : verdict.kind;
  };
  assert.deepEqual([0, 1, 2].map(repeated), [undefined, 'restarted once', 'restarted 2 times']);
});

test('a health check that is answered badly is given up after failureThreshold × periodSeconds', () => {
  const healthCheck = {
    path: '/',
    port: 80,
    initialDelaySeconds: 0,
    periodSeconds: 4,
    timeoutSeconds: 1,
    failureThreshold: 5,
  };
  const spec = specOf(pod('web', { servicePorts: [80], healthCheck }));
  const checked = desiredAt(deploymentOf({}), { number: 1, spec }, resolvedAt(0));
  assert.ok(checked.kind === 'running');
  const observed = observedOf({ desired: checked, starting: ['web'] });
  const [web] = observed.workloads;
  const judgeAt = (now: number) => {
    const stuck = { by: 'health-check' as const, since: 1_000 };
    const sick = { ...web!, notReadyBecause: 'health check / answered 500', stuck };
    return judge(checked, { ...observed, workloads: [sick] }, { ...clock, now });
  };
  assert.deepEqual(judgeAt(20_999), { kind: 'pending', lookAgainAt: 21_000 });
  assert.deepEqual(judgeAt(21_000), {
    kind: 'given-up',
    pods: ['web'],
    because: 'health check / answered 500, unchanged for 20 s',
    workload: 'berth-shop-web-1-0',
  });
});

test('a pod gets the start period of its health check, whether it fails the check or listens on another port', () => {
  const times = { initialDelaySeconds: 0, periodSeconds: 5, timeoutSeconds: 1, failureThreshold: 5 };
  const healthCheck = { path: '/', port: 80, ...times, startPeriodSeconds: 120 };
  const spec = specOf(pod('web', { servicePorts: [80], healthCheck }));
  const checked = desiredAt(deploymentOf({}), { number: 1, spec }, resolvedAt(0));
  assert.ok(checked.kind === 'running');
  const observed = observedOf({ desired: checked, starting: ['web'] });
  for (const by of ['health-check', 'listening'] as const) {
    const workloads = observed.workloads.map((web) => ({ ...web, stuck: { by, since: 0 } }));
    const longer = { ...patience, deadlineMs: 600_000 };
    const kindAt = (now: number): string =>
      judge(checked, { ...observed, workloads }, { ...clock, patience: longer, now }).kind;
    assert.deepEqual([kindAt(144_999), kindAt(145_000)], ['pending', 'given-up'], by);
  }
});

test('a start period without a test is the patience with a pod that listens on another port, if it is the longer', () => {
  const giveUpAt = (startPeriodSeconds: number) => {
    const spec = specOf(pod('web', { servicePorts: [80], healthCheck: { startPeriodSeconds } }));
    const wanted = desiredAt(deploymentOf({}), { number: 1, spec }, resolvedAt(0));
    assert.ok(wanted.kind === 'running');
    const observed = observedOf({ desired: wanted, starting: ['web'] });
    const workloads = observed.workloads.map((web) => ({ ...web, stuck: { by: 'listening' as const, since: 0 } }));
    const kindAt = (now: number) =>
      judge(wanted, { ...observed, workloads }, { ...clock, patience: { ...patience, deadlineMs: 600_000 }, now }).kind;
    return [119_999, 120_000].map(kindAt);
  };
  assert.deepEqual(giveUpAt(120), ['pending', 'given-up']);
  assert.deepEqual(giveUpAt(1), ['given-up', 'given-up']);
});

test('a command is given 30 s at least, however short its interval: it fails while its program starts', () => {
  const times = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 3 };
  const spec = specOf(pod('web', { servicePorts: [80], healthCheck: { command: ['check'], ...times } }));
  const checked = desiredAt(deploymentOf({}), { number: 1, spec }, resolvedAt(0));
  assert.ok(checked.kind === 'running');
  const observed = observedOf({ desired: checked, starting: ['web'] });
  const [web] = observed.workloads;
  const stuck = { by: 'health-check' as const, since: 1_000 };
  const sick = { ...web!, notReadyBecause: 'health check `check` exits with 1', stuck };
  const judgeAt = (now: number) => judge(checked, { ...observed, workloads: [sick] }, { ...clock, now });
  assert.deepEqual(judgeAt(30_999), { kind: 'pending', lookAgainAt: 31_000 });
  assert.equal(judgeAt(31_000).kind, 'given-up');
});

test('a job that failed is given up, one that ended well is ready', () => {
  const jobs = desiredAt(
    deploymentOf({}),
    { number: 1, spec: specOf(pod('seed', { resourceType: 'job' })) },
    resolvedAt(0),
  );
  assert.ok(jobs.kind === 'running');
  assert.equal(judge(jobs, observedOf({ desired: jobs, ready: ['seed'] }), clock).kind, 'ready');
  assert.equal(judge(jobs, observedOf({ desired: jobs, exited: ['seed'] }), clock).kind, 'given-up');
});
