import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeStored } from './deployment-metrics.ts';

const site = { requestsPerSecond: 1, clientErrorsPerSecond: 0, serverErrorsPerSecond: 0, p50Ms: 10, p95Ms: 20 };
const pod = { cpuMillis: 1, memoryBytes: 2, receivedBytesPerSecond: 3, sentBytesPerSecond: 4 };

test('rates of several edges are summed, and response times are weighted by the number of requests', () => {
  const merged = mergeStored([
    { at: 5, pods: {}, site },
    { at: 5, pods: {}, site: { ...site, requestsPerSecond: 3, serverErrorsPerSecond: 2, p50Ms: 50, p95Ms: null } },
    { at: 5, pods: {}, site: { ...site, requestsPerSecond: null, p50Ms: null } },
  ]);
  assert.deepEqual(merged.site, { ...site, requestsPerSecond: 4, serverErrorsPerSecond: 2, p50Ms: 40 });
});

test('if several processes see one pod, gaps of one are filled by another', () => {
  const { pods } = mergeStored([
    { at: 5, pods: { 'web/0': { ...pod, cpuMillis: null } }, site },
    { at: 5, pods: { 'web/0': { ...pod, memoryBytes: 9 }, 'db/0': pod }, site },
  ]);
  assert.deepEqual(pods, { 'web/0': pod, 'db/0': pod });
});
