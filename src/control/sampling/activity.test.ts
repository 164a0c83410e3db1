import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noRequests, type WorkloadUse } from '../../deployment/metrics/use.ts';
import { createActivity } from './activity.ts';

const use = (deploymentId: string, cpuMs: number): WorkloadUse => ({
  deploymentId,
  pod: 'web',
  revision: 1,
  replica: 0,
  startedAt: 0,
  cpuMs,
  memoryBytes: 0,
  receivedBytes: 0,
  sentBytes: 0,
});

test('a deployment is active if it had requests, or if its pods together used more than a tenth of a processor', () => {
  const activeIn = createActivity();
  const measured = (uses: WorkloadUse[], requests: [string, number][] = []) => ({
    elapsedMs: 10_000,
    uses,
    requests: new Map(requests.map(([id, count]) => [id, { ...noRequests, requests: count }])),
  });
  const active = (...given: Parameters<typeof measured>) => [...activeIn(measured(...given))].sort();
  assert.deepEqual(active([use('old', 90_000)], [['visited', 1]]), ['visited'], 'nothing to compare with');
  assert.deepEqual(active([use('old', 90_900), use('new', 5_000)]), []);
  assert.deepEqual(active([use('old', 91_500), use('old', 900), use('new', 5_000)], [['idle', 0]]), ['old']);
  assert.deepEqual(active([use('old', 100), use('new', 7_000)]), ['new'], 'a restart sets the time back');
});

test('without a measurement, nothing is active', () => {
  assert.equal(createActivity()({ elapsedMs: 0, uses: undefined, requests: undefined }).size, 0);
});
