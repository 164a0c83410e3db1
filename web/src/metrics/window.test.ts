import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeploymentMetrics } from '../service/records.ts';
import { measuredPart, spanText } from './window.ts';

/** One pod, measured from that step on. */
function metrics(first: number, steps = 360): DeploymentMetrics {
  const nothing = Array.from({ length: steps }, () => null);
  const line = Array.from({ length: steps }, (_, step) => (step >= first ? step : null));
  const none = { cpuMillis: nothing, receivedBytesPerSecond: nothing, sentBytesPerSecond: nothing };
  const errors = { clientErrorsPerSecond: nothing, serverErrorsPerSecond: nothing, p50Ms: nothing, p95Ms: nothing };
  const now = { requestsPerSecond: null, clientErrorsPerSecond: null, serverErrorsPerSecond: null };
  return {
    applicationName: 'shop',
    environment: 'jolly-tapir',
    range: 'hour',
    stepSeconds: 10,
    volumes: [],
    from: '2026-01-01T12:00:00.000Z',
    pods: [{ name: 'web', replica: 0, restarts: 0, series: { ...none, memoryBytes: line } }],
    site: { now: { ...now, p50Ms: null, p95Ms: null }, series: { ...errors, requestsPerSecond: nothing } },
  };
}

test('the chart begins with the first measurement, and spans at least two minutes', () => {
  const spans = [0, 60, 359, 360].map((first) => {
    const { from, pods, ...rest } = measuredPart(metrics(first));
    return [from.slice(11, 19), pods[0]?.series.memoryBytes.length, spanText({ from, pods, ...rest })];
  });
  assert.deepEqual(spans, [
    ['12:00:00', 360, 'The last hour'],
    ['12:10:00', 300, 'The last 50 minutes'],
    ['12:58:00', 12, 'The last 2 minutes'],
    ['12:58:00', 12, 'The last 2 minutes'],
  ]);
});

test('all lines have the same steps', () => {
  const { pods, site } = measuredPart(metrics(100));
  const lines = [...Object.values(pods[0]!.series), ...Object.values(site.series)];
  assert.ok(lines.every(({ length }) => length === 260));
  assert.equal(pods[0]!.series.memoryBytes[0], 100);
});
