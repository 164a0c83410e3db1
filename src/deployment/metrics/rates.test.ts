import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { podValues, quantileMs, siteValues } from './deployment-metrics.ts';
import { answerBoundsMs, noRequests, type WorkloadUse } from './use.ts';

const use = (change: Partial<WorkloadUse>): WorkloadUse => ({
  deploymentId: 'abc',
  pod: 'web',
  revision: 1,
  replica: 0,
  startedAt: 1_000,
  cpuMs: 0,
  memoryBytes: 100,
  receivedBytes: 0,
  sentBytes: 0,
  ...change,
});

test('half a processor for ten seconds is 500 thousandths, and bytes are per second', () => {
  const now = use({ cpuMs: 7_000, receivedBytes: 30_000, sentBytes: 500 });
  assert.deepEqual(podValues(use({ cpuMs: 2_000, sentBytes: 400 }), now, 10_000), {
    cpuMillis: 500,
    memoryBytes: 100,
    receivedBytesPerSecond: 3_000,
    sentBytesPerSecond: 10,
  });
});

test('of a workload that was not there before, only what it holds is known', () => {
  const { memoryBytes, ...rates } = podValues(undefined, use({ cpuMs: 9_000 }), 10_000);
  assert.equal(memoryBytes, 100);
  assert.ok(Object.values(rates).every((value) => value === null));
});

test('of one that was started again counts what it has used since, and no rate is ever below nothing', () => {
  const restarted = podValues(use({ cpuMs: 50_000 }), use({ cpuMs: 1_000, startedAt: 9_000 }), 10_000);
  assert.equal(restarted.cpuMillis, 100);
  const any = fc.record({ cpuMs: fc.nat(), receivedBytes: fc.nat(), sentBytes: fc.nat(), startedAt: fc.nat(2) });
  fc.assert(
    fc.property(any, any, fc.nat(60_000), (before, now, elapsedMs) => {
      const values = Object.values(podValues(use(before), use(now), elapsedMs));
      assert.ok(values.every((value) => value === null || (value >= 0 && Number.isFinite(value))));
    }),
  );
});

test('how long answers took lies within the bounds of what was counted, and is known to a bound at the least', () => {
  const counts = fc.array(fc.nat(100), { minLength: answerBoundsMs.length + 1, maxLength: answerBoundsMs.length + 1 });
  fc.assert(
    fc.property(counts, fc.double({ min: 0.01, max: 1, noNaN: true }), (tookWithin, share) => {
      const reported = quantileMs(tookWithin, share);
      const all = tookWithin.reduce((sum, count) => sum + count, 0);
      if (all === 0) return assert.equal(reported, null);
      assert.ok(reported !== null);
      // At least this many responses arrived within the next higher bound.
      const bound = answerBoundsMs.findIndex((each) => each >= reported - 1e-9);
      const within = tookWithin.slice(0, bound + 1).reduce((sum, count) => sum + count, 0);
      assert.ok(reported === answerBoundsMs.at(-1) || within >= share * all - 1e-6, `${reported} of ${tookWithin}`);
      assert.ok(quantileMs(tookWithin, share / 2)! <= reported + 1e-9);
    }),
  );
  assert.equal(quantileMs([10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0.5), 2.5);
  assert.equal(quantileMs([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], 0.95), 10_000);
});

test('a site shows requests per second, and without requests it has no times', () => {
  const tookWithin = [0, 30, ...noRequests.tookWithin.slice(2)];
  const values = siteValues({ requests: 30, clientErrors: 6, serverErrors: 3, tookWithin }, 10_000);
  assert.deepEqual(values, {
    requestsPerSecond: 3,
    clientErrorsPerSecond: 0.6,
    serverErrorsPerSecond: 0.3,
    p50Ms: 7.5,
    p95Ms: 9.75,
  });
  assert.deepEqual(siteValues(noRequests, 10_000), {
    requestsPerSecond: 0,
    clientErrorsPerSecond: 0,
    serverErrorsPerSecond: 0,
    p50Ms: null,
    p95Ms: null,
  });
});
