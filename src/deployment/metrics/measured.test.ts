import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '../../../test/support/count-turns.ts';
import { createMeasured, type Measurement, maxEndedPods } from './measured.ts';
import { retainedSteps, stepMs } from './series.ts';
import { noRequests, type RequestCounts, type WorkloadUse } from './use.ts';

const start = 1_000 * stepMs;

const use = (change: Partial<WorkloadUse> = {}): WorkloadUse => ({
  deploymentId: 'abc',
  pod: 'web',
  revision: 1,
  replica: 0,
  startedAt: 1_000,
  memoryLimitBytes: 500,
  cpuMs: 0,
  memoryBytes: 100,
  receivedBytes: 0,
  sentBytes: 0,
  ...change,
});

const requests = (count: number): RequestCounts => ({
  requests: count,
  clientErrors: 0,
  serverErrors: 0,
  tookWithin: noRequests.tookWithin.map((_, index) => (index === 0 ? count : 0)),
});

/** The look of a step. */
const look = (step: number, change: Partial<Measurement>): Measurement => ({
  at: start + step * stepMs,
  elapsedMs: step === 0 ? 0 : stepMs,
  uses: [],
  requests: new Map(),
  ...change,
});

test('the series contain the measurements of each step of an hour, and the current values the last one', async () => {
  const measured = createMeasured();
  await measured.add(look(0, { uses: [use()] }));
  await measured.add(
    look(1, { uses: [use({ cpuMs: 2_000, memoryBytes: 120 })], requests: new Map([['abc', requests(20)]]) }),
  );
  const { pods, site, from, stepSeconds, arePodsMeasured } = measured.of('abc', start + stepMs);
  assert.deepEqual([from, stepSeconds, arePodsMeasured], [start + (2 - retainedSteps) * stepMs, 10, true]);
  const [web] = pods;
  assert.deepEqual(web?.series.cpuMillis.slice(-3), [null, null, 200]);
  assert.deepEqual(web?.series.memoryBytes.slice(-3), [null, 100, 120]);
  assert.equal(web?.now?.cpuMillis, 200);
  assert.deepEqual(
    [web?.pod, web?.replica, web?.startedAt, web?.memoryLimitBytes, 'deploymentId' in web!],
    ['web', 0, 1_000, 500, false],
  );
  assert.deepEqual(site.series.requestsPerSecond.slice(-2), [null, 2]);
  assert.equal(site.now.requestsPerSecond, 2);
  assert.equal(site.series.p50Ms.length, retainedSteps);
});

test('a pod that runs no more keeps its line and has no now, and after an hour it is forgotten', async () => {
  const measured = createMeasured();
  await measured.add(look(0, { uses: [use()] }));
  for (let step = 1; step <= 4; step++) await measured.add(look(step, {}));
  const [web] = measured.of('abc', start + 4 * stepMs).pods;
  assert.equal(web?.now, undefined);
  assert.deepEqual(web?.series.memoryBytes.slice(-5), [100, null, null, null, null]);
  await measured.add(look(retainedSteps, {}));
  assert.deepEqual(measured.of('abc', start + retainedSteps * stepMs).pods, []);
  assert.deepEqual([...measured.totals()], []);
});

test('of pods with frequently changing names, those that ended last keep their series, and so do all running ones', async () => {
  const measured = createMeasured();
  for (let step = 0; step < 100; step++)
    await measured.add(look(step, { uses: [use({ pod: 'web' }), use({ pod: `p${step}` })] }));
  const expected = Array.from({ length: maxEndedPods + 1 }, (_, index) => `p${99 - index}`);
  const names = () => measured.of('abc', start + 99 * stepMs).pods.map(({ pod }) => pod);
  assert.deepEqual(names().sort(), [...expected, 'web'].sort());
  // Without measurements of pods, it is unknown which have ended.
  await measured.add(look(99, { uses: Array.from({ length: 90 }, (_, index) => use({ pod: `n${index}` })) }));
  await measured.add(look(100, { uses: undefined }));
  assert.equal(names().filter((name) => name.startsWith('n')).length, 90);
});

test('through an update the line of a pod goes on, with the newer one while both run', async () => {
  const measured = createMeasured();
  await measured.add(look(0, { uses: [use()] }));
  const newer = use({ revision: 2, startedAt: 5_000, memoryBytes: 70 });
  for (const uses of [[use(), newer], [newer, use()], [newer]])
    await measured.add(look(measured.of('abc', start).pods.length, { uses }));
  const { pods } = measured.of('abc', start + stepMs);
  assert.deepEqual([pods.length, pods[0]?.revision, pods[0]?.now?.memoryBytes], [1, 2, 70]);
});

test('what a pod has used while it was missing at a look is in no rate', async () => {
  const measured = createMeasured();
  await measured.add(look(0, { uses: [use()] }));
  await measured.add(look(1, {}));
  await measured.add(look(2, { uses: [use({ cpuMs: 9_000 })] }));
  await measured.add(look(3, { uses: [use({ cpuMs: 10_000 })] }));
  assert.deepEqual(measured.of('abc', start + 3 * stepMs).pods[0]?.series.cpuMillis.slice(-4), [null, null, null, 100]);
});

test('one deployment sees nothing of another one', async () => {
  const measured = createMeasured();
  await measured.add(look(0, { uses: [use({ deploymentId: 'other' })], requests: new Map([['other', requests(5)]]) }));
  const { pods, volumes, site } = measured.of('abc', start);
  assert.deepEqual([pods, volumes], [[], []]);
  assert.ok(site.series.requestsPerSecond.every((value) => value === null));
});

test('of five minutes means are kept, of the memory the most, and how long answers took of all of them', async () => {
  const measured = createMeasured();
  await measured.add(look(0, { uses: [use()] }));
  await measured.add(
    look(1, { uses: [use({ cpuMs: 1_000, memoryBytes: 300 })], requests: new Map([['abc', requests(30)]]) }),
  );
  await measured.add(look(2, { uses: [use({ cpuMs: 4_000, memoryBytes: 200 })] }));
  const kept = (await measured.endPeriod(start, 30)).get('abc');
  assert.equal(kept?.at, start);
  assert.deepEqual([kept?.pods['web/0']?.cpuMillis, kept?.pods['web/0']?.memoryBytes], [200, 300]);
  assert.deepEqual([kept?.site.requestsPerSecond, kept?.site.p50Ms], [1.5, 2.5]);
  assert.equal((await measured.endPeriod(start, 30)).get('abc')?.site.requestsPerSecond, null);
});

test('requests that could not be counted at a look are in the rate of the next one, over all of its time', async () => {
  const measured = createMeasured();
  await measured.add(look(0, { requests: new Map([['abc', requests(10)]]) }));
  await measured.add(look(1, { requests: undefined }));
  await measured.add(look(2, { requests: new Map([['abc', requests(60)]]) }));
  const { site } = measured.of('abc', start + 2 * stepMs);
  assert.deepEqual(site.series.requestsPerSecond.slice(-2), [null, 3]);
});

test('where the clock was set back, what would be of the future is forgotten', async () => {
  const measured = createMeasured();
  await measured.add(look(9, { uses: [use({ memoryBytes: 900 })] }));
  await measured.add(look(2, { uses: [use()] }));
  const [web] = measured.of('abc', start + 9 * stepMs).pods;
  assert.deepEqual(
    web?.series.memoryBytes.filter((value) => value !== null),
    [100],
  );
});

test('totals contain the counts since the beginning, of running pods', async () => {
  const measured = createMeasured();
  const volume = { deploymentId: 'abc', volume: 'data', usedBytes: 3, sizeBytes: 9 };
  await measured.add(look(0, { uses: [use()], requests: new Map([['abc', requests(5)]]) }));
  await measured.add(
    look(1, { uses: [use({ cpuMs: 7 })], requests: new Map([['abc', requests(6)]]), volumes: [volume] }),
  );
  const [all] = measured.totals();
  assert.deepEqual([all?.requests.requests, all?.uses[0]?.cpuMs, all?.volumes], [11, 7, [volume]]);
  assert.deepEqual(measured.of('abc', start + stepMs).volumes, [{ volume: 'data', usedBytes: 3, sizeBytes: 9 }]);
});

test('recording much yields to other work, and readers only see complete records', async () => {
  const measured = createMeasured();
  const ids = Array.from({ length: 2_000 }, (_, index) => `d${index}`);
  const noteAll = (step: number) =>
    measured.add(
      look(step, {
        uses: ids.map((deploymentId) => use({ deploymentId, cpuMs: step })),
        requests: new Map(ids.map((id) => [id, requests(1)])),
      }),
    );
  await noteAll(0);
  const turns = countTurns();
  const noting = noteAll(1);
  await new Promise((next) => setImmediate(next));
  assert.deepEqual(
    [...measured.totals()].map(({ uses }) => uses.length),
    ids.map(() => 1),
  );
  await noting;
  assert.equal((await measured.endPeriod(start, 30)).size, ids.length);
  assert.ok(turns.end() >= 30);
});
